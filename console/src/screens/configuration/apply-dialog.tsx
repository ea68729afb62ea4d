import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import { useCrawlers } from '../../state/crawlers.js';
import { toApiProblem } from '../../state/resource.js';
import { Failure, LoadingNotice } from '../../ui/answers.js';
import { Dialog } from '../../ui/dialog.js';
import { showNotice } from '../../ui/notices.js';
import { type DocumentChoice, DocumentChoiceField, decideDocuments } from './document-choice.js';
import { type Draft, toRequestBody } from './draft.js';
import { Preview } from './preview.js';
import { usePreview } from './previewing.js';

interface ApplyProps {
  readonly title: string;
  /** What the button that opens the dialog says, and the one that confirms it. */
  readonly action?: string;
  readonly draft: Draft;
  /** Version on which the change is based. */
  readonly etag: string;
  /** Saves the change instead of the default, a PUT of the draft. */
  readonly save?: (confirm: true | undefined) => Promise<unknown>;
  readonly onApplied: () => void;
  readonly onClose: () => void;
}

/** Shows a preview of a change, so that its effect is known before it is saved. */
export function ApplyDialog({
  title,
  action = 'Save',
  draft,
  etag,
  save,
  onApplied,
  onClose,
}: ApplyProps): JSX.Element {
  const { report, problem } = usePreview(draft);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<ApiProblem>();
  const [choices, setChoices] = useState<Readonly<Record<string, DocumentChoice>>>({});
  const { value: current = [] } = useCrawlers();
  const names = report?.crawlers.map(({ crawler }) => crawler) ?? [];
  const removed = report?.removed.filter(({ urls }) => urls > 0) ?? [];
  const choose = (crawler: string): DocumentChoice =>
    choices[crawler] ?? suggestChoice(names.filter((name) => current.every((existing) => existing.name !== name)));
  const needsConfirmation = (report?.needsConfirmation.length ?? 0) > 0;
  const apply = async (): Promise<void> => {
    setSaving(true);
    try {
      const confirm = needsConfirmation || undefined;
      if (save) await save(confirm);
      else await call('PUT /api/v1/config', { body: toRequestBody(draft), ifMatch: etag, query: { confirm } });
      for (const { crawler } of removed) await decideDocuments(crawler, choose(crawler));
      showNotice('The new configuration is in force. Stored URLs are judged again in the background.');
      onApplied();
    } catch (error) {
      setFailure(toApiProblem(error));
      setSaving(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide>
      {problem ? <Failure problem={problem} /> : report ? <Preview report={report} /> : <LoadingNotice />}
      {report?.done &&
        removed.map(({ crawler, indexed }) => (
          <DocumentChoiceField
            key={crawler}
            {...{ crawler, indexed, recipients: names, choice: choose(crawler) }}
            onChoose={(choice) => setChoices({ ...choices, [crawler]: choice })}
          />
        ))}
      {failure && <Failure problem={failure} />}
      <footer class="actions end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={needsConfirmation ? 'button danger' : 'button primary'}
          disabled={!report?.done || saving}
          onClick={apply}
        >
          {needsConfirmation ? `${action} and delete these documents` : action}
        </button>
      </footer>
    </Dialog>
  );
}

/** One crawler gone and a single new one: it has most likely been renamed. */
const suggestChoice = (newNames: readonly string[]): DocumentChoice =>
  newNames.length === 1 ? `hand-over ${newNames[0]}` : '';
