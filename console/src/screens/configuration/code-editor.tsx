import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConfigurationProblemDto, ElementFormDto } from '../../api/schema.js';
import { LoadFailure, LoadingNotice } from '../../ui/answers.js';

/** A problem reported by the checker, at its place in the edited text; without a line if it is elsewhere. */
export interface TextProblem extends Pick<ConfigurationProblemDto, 'severity' | 'message' | 'code'> {
  readonly line?: number;
  readonly column?: number;
}

export interface CodeProps {
  /** Label for screen readers. */
  readonly label: string;
  readonly language: 'xml' | 'rules';
  readonly text: string;
  /** The line to show first, counted from 1. */
  readonly line?: number;
  readonly editable: boolean;
  /** Elements that are offered as completions. Absent if there are no completions. */
  readonly elements?: readonly ElementFormDto[];
  readonly onChange: (text: string) => void;
  /**
   * Runs the server's checker while the text is being edited: the same messages at the same places as `crawlway check`.
   */
  readonly check: (text: string) => Promise<readonly TextProblem[]>;
}

/** The code editor. It is larger than the rest of the console, so it is only loaded when needed. */
export function CodeEditor(props: CodeProps): JSX.Element {
  const { text, line, editable } = props;
  const element = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let close: (() => void) | undefined;
    let gone = false;
    import('./code-mirror.js').then(
      ({ openEditor }) => {
        if (gone || !element.current) return;
        close = openEditor(element.current, {
          ...latest.current,
          onChange: (changed) => latest.current.onChange(changed),
          check: (changed) => latest.current.check(changed),
        });
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      close?.();
    };
  }, [text, line, editable]);
  if (failed) return <LoadFailure />;
  return (
    <div ref={element} class="editor">
      <LoadingNotice />
    </div>
  );
}
