import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useHasRole } from '../../state/session.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { CheckSummary, useDraftCheck } from './checking.js';
import { CodeEditor } from './code-editor.js';
import type { Draft } from './draft.js';
import { type LoadedConfiguration } from './load.js';
import { joinPart, type Part, toPartPosition } from './part.js';
import { useUnsaved } from './unsaved.js';

/** A part of the configuration that is edited separately. */
export interface PartText {
  /** Title of the panel. */
  readonly title: string;
  /** Its purpose, in one line. */
  readonly purpose: string;
  readonly text: string;
  /** Whether the part is not in the configuration yet. */
  readonly isNew?: boolean;
  /** The edited element of CrawlConfig.xml, or the one that names the file. */
  readonly element?: Part;
  /** Name of the edited file. Absent if the element is edited. */
  readonly file?: string;
  /** The configuration without this part. */
  readonly without?: Draft;
}

interface EditorProps {
  /** The key under which the unsaved text is kept. */
  readonly name: string;
  readonly part: PartText;
  readonly loaded: LoadedConfiguration;
  readonly line?: number;
  readonly onApplied: () => void;
}

export function PartEditor({ name, part, loaded, line, onApplied }: EditorProps): JSX.Element {
  const { title, purpose, file, element, without, isNew = false } = part;
  const mayChange = useHasRole('admin');
  const { text, start, changed, etag, type, discard, forget } = useUnsaved(name, part.text, loaded.etag);
  const [proposed, setProposed] = useState<Draft>();
  const toDraft = (edited: string): Draft => createDraft(part, edited);
  const { checked, check } = useDraftCheck(toDraft, (problem, edited) => {
    if (file !== undefined) return problem.file === file ? problem : undefined;
    return problem.file === loaded.file && element ? toPartPosition(element, edited, problem) : undefined;
  });
  return (
    <Panel
      title={title}
      aside={
        mayChange ? (
          <>
            <CheckSummary checked={checked} />
            {changed && (
              <button type="button" class="button" onClick={discard}>
                Discard
              </button>
            )}
            {without && (
              <button type="button" class="button danger" onClick={() => setProposed(without)}>
                Remove…
              </button>
            )}
            <button
              type="button"
              class="button primary"
              disabled={(!isNew && !changed) || checked.errors > 0}
              onClick={() => setProposed(toDraft(text))}
            >
              Preview and save…
            </button>
          </>
        ) : (
          'read-only: changing it requires the role admin'
        )
      }
    >
      <p class="muted">{purpose}</p>
      <CodeEditor
        key={start.round}
        label={title}
        language={file === undefined ? 'xml' : 'rules'}
        text={start.text}
        line={line}
        editable={mayChange}
        onChange={type}
        check={check}
      />
      {proposed && (
        <ApplyDialog
          title="What this change would do"
          draft={proposed}
          etag={etag}
          onApplied={() => {
            forget();
            onApplied();
          }}
          onClose={() => setProposed(undefined)}
        />
      )}
    </Panel>
  );
}

function createDraft({ file, element, isNew }: PartText, text: string): Draft {
  if (file === undefined) return element ? { xml: joinPart(element, text) } : {};
  const files = { [file]: text };
  return isNew && element ? { xml: joinPart(element, element.text), files } : { files };
}
