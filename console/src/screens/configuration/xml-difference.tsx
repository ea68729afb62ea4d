import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function XmlDifference({ before, after }: { before: string; after: string }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let close: (() => void) | undefined;
    let gone = false;
    void import('./code-mirror.js').then(({ openDifference }) => {
      if (!gone && element.current) close = openDifference(element.current, { before, after });
    });
    return () => {
      gone = true;
      close?.();
    };
  }, [before, after]);
  if (before === after) return <p class="notice good">The two are the same.</p>;
  return <div ref={element} class="editor" />;
}
