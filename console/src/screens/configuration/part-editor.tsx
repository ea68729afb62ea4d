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
import { useUnsavedText } from './unsaved.js';

/** A part of the configuration that is edited separately. */
export interface PartText {
  /** Title of the panel. */
  readonly title: string;
  /** Its purpose, in one line. */
  readonly purpose: string;
  readonly text: string;
  /** Whether the part is not in the configuration yet. */
  readonly isNew?: boolean;
  /** The edited element of CrawlConfig.xml, or the element that names the edited file. */
  readonly element?: Part;
  /** Name of the edited file. Absent if the element is edited. */
  readonly file?: string;
  /** The configuration without this part. */
  readonly draftWithoutPart?: Draft;
}

interface EditorProps {
  /** The key under which the unsaved text is kept. */
  readonly name: string;
  readonly part: PartText;
  readonly configuration: LoadedConfiguration;
  readonly line?: number;
  readonly onApplied: () => void;
}

export function PartEditor({ name, part, configuration, line, onApplied }: EditorProps): JSX.Element {
  const { title, purpose, file, element, draftWithoutPart, isNew = false } = part;
  const mayChange = useHasRole('admin');
  const { text, initialState, changed, etag, updateText, discard, markSaved } = useUnsavedText(
    name,
    part.text,
    configuration.etag,
  );
  const [proposedDraft, setProposedDraft] = useState<Draft>();
  const toDraft = (editedText: string): Draft => createDraft(part, editedText);
  const { problemCounts, check } = useDraftCheck(toDraft, (problem, editedText) => {
    if (file !== undefined) return problem.file === file ? problem : undefined;
    return problem.file === configuration.file && element ? toPartPosition(element, editedText, problem) : undefined;
  });
  return (
    <Panel
      title={title}
      aside={
        mayChange ? (
          <>
            <CheckSummary problemCounts={problemCounts} />
            {changed && (
              <button type="button" class="button" onClick={discard}>
                Discard
              </button>
            )}
            {draftWithoutPart && (
              <button type="button" class="button danger" onClick={() => setProposedDraft(draftWithoutPart)}>
                Remove…
              </button>
            )}
            <button
              type="button"
              class="button primary"
              disabled={(!isNew && !changed) || problemCounts.errors > 0}
              onClick={() => setProposedDraft(toDraft(text))}
            >
              Preview and save…
            </button>
          </>
        ) : (
          'read-only: changes require the role admin'
        )
      }
    >
      <p class="muted">{purpose}</p>
      <CodeEditor
        key={initialState.generation}
        label={title}
        language={file === undefined ? 'xml' : 'rules'}
        text={initialState.text}
        line={line}
        editable={mayChange}
        onChange={updateText}
        check={check}
      />
      {proposedDraft && (
        <ApplyDialog
          title="What this change would do"
          draft={proposedDraft}
          etag={etag}
          onApplied={() => {
            markSaved();
            onApplied();
          }}
          onClose={() => setProposedDraft(undefined)}
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
