import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LoadFailure } from '../../ui/answers.js';
import type { CodeProps } from './code-editor.js';

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
  readonly language: CodeProps['language'] | 'plain';
}

export function TextDifference({ before, after, language }: DifferenceProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let close: (() => void) | undefined;
    let unmounted = false;
    import('./code-mirror.js').then(
      ({ openDiffView: openDifference }) => {
        if (!unmounted && element.current) close = openDifference(element.current, { before, after, language });
      },
      () => setFailed(true),
    );
    return () => {
      unmounted = true;
      close?.();
    };
  }, [before, after]);
  if (failed) return <LoadFailure />;
  if (before === after) return <p class="notice good">The two versions are identical.</p>;
  return <div ref={element} class="editor" />;
}
