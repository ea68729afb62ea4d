import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConfigurationProblemDto, ElementFormDto } from '../../api/schema.js';
import { Loading, NotLoaded } from '../../ui/answers.js';

/** A problem reported by the checker, at its place in the edited text; without a line it is elsewhere. */
export interface TextProblem extends Pick<ConfigurationProblemDto, 'severity' | 'message' | 'code'> {
  readonly line?: number;
  readonly column?: number;
}

export interface CodeProps {
  /** For screen readers. */
  readonly label: string;
  readonly language: 'xml' | 'rules';
  readonly text: string;
  /** To show first, 1-based. */
  readonly line?: number;
  readonly editable: boolean;
  /** Completions offered while typing; absent: none. */
  readonly elements?: readonly ElementFormDto[];
  readonly onChange: (text: string) => void;
  /** The server's own checker runs while the text is typed: the same messages at the same places as `crawlway check`. */
  readonly check: (text: string) => Promise<readonly TextProblem[]>;
}

/** The editor is larger than the rest of the console, so it is only loaded for editing. */
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
  if (failed) return <NotLoaded />;
  return (
    <div ref={element} class="editor">
      <Loading />
    </div>
  );
}
