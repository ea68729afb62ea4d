import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Loading } from '../../ui/answers.js';

export interface Checked {
  readonly errors: number;
  readonly warnings: number;
}

interface EditorProps {
  readonly text: string;
  /** To show first, 1-based. */
  readonly line?: number;
  readonly editable: boolean;
  readonly onChange: (text: string) => void;
  readonly onChecked: (checked: Checked) => void;
}

/** The editor is larger than all the rest of the console, so it comes only when somebody wants to edit. */
export function XmlEditor({ text, line, editable, onChange, onChecked }: EditorProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let close: (() => void) | undefined;
    let gone = false;
    void import('./code-mirror.js').then(({ openEditor }) => {
      if (gone || !element.current) return;
      close = openEditor(element.current, { text, line, editable, onChange, onChecked });
    });
    return () => {
      gone = true;
      close?.();
    };
  }, [text, line, editable]);
  return (
    <div ref={element} class="editor">
      <Loading />
    </div>
  );
}
