import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConfigurationProblemDto, ElementFormDto } from '../../api/schema.js';
import { LoadFailure, LoadingNotice } from '../../ui/answers.js';

/** A problem reported by the checker, with its position in the edited text, or without one if it is elsewhere. */
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

/** The code editor. It is only loaded when needed, because it is larger than the rest of the console. */
export function CodeEditor(props: CodeProps): JSX.Element {
  const { text, line, editable } = props;
  const element = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const latestProps = useRef(props);
  latestProps.current = props;
  useEffect(() => {
    let close: (() => void) | undefined;
    let unmounted = false;
    import('./code-mirror.js').then(
      ({ openEditor }) => {
        if (unmounted || !element.current) return;
        close = openEditor(element.current, {
          ...latestProps.current,
          onChange: (newText) => latestProps.current.onChange(newText),
          check: (newText) => latestProps.current.check(newText),
        });
      },
      () => setFailed(true),
    );
    return () => {
      unmounted = true;
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
