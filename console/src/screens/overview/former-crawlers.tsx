/** Crawlers that left the configuration while their documents are in the index, until somebody decides about those. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { CrawlerDto, FormerCrawlerDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { Time } from '../../ui/time.js';
import { type DocumentChoice, DocumentChoiceField, decideDocuments } from '../configuration/document-choice.js';

const POLL_INTERVAL_MS = 10_000;

export function FormerCrawlers({ crawlers }: { crawlers: readonly CrawlerDto[] }): JSX.Element | null {
  const { value: former = [], reload } = useResource(
    'former crawlers',
    async (signal) => (await call('GET /api/v1/former-crawlers', { signal })).items,
    POLL_INTERVAL_MS,
  );
  const undecided = former.filter(({ decision }) => decision === undefined);
  if (undecided.length === 0) return null;
  const recipients = crawlers.map(({ name }) => name);
  return (
    <section class="stack" aria-label="Crawlers that are no longer in the configuration">
      {undecided.map((crawler) => (
        <Undecided key={crawler.name} {...{ crawler, recipients }} onDone={reload} />
      ))}
    </section>
  );
}

interface UndecidedProps {
  readonly crawler: FormerCrawlerDto;
  readonly recipients: readonly string[];
  readonly onDone: () => void;
}

function Undecided({ crawler: { name, indexed, since }, recipients, onDone }: UndecidedProps): JSX.Element {
  const [choice, setChoice] = useState<DocumentChoice>();
  const mayOperate = useHasRole('operate');
  const decide = async (): Promise<void> => {
    await decideDocuments(name, choice ?? '');
    showNotice('Decided. Documents are deleted or handed over in the background.');
    onDone();
  };
  return (
    <div class="notice warn">
      <p>
        The crawler {name} is no longer in the configuration (<Time at={since} relative />
        ); its {formatPlural(indexed, 'document')} {indexed === 1 ? 'stays' : 'stay'} in the index until somebody
        decides.
      </p>
      {mayOperate && (
        <button type="button" class="button" onClick={() => setChoice('')}>
          Decide…
        </button>
      )}
      {choice !== undefined && (
        <ConfirmDialog
          title={`Documents of ${name}`}
          action={choice === 'delete' ? 'Delete these documents' : 'Decide'}
          danger={choice === 'delete'}
          ready={choice !== ''}
          onConfirm={decide}
          onClose={() => setChoice(undefined)}
        >
          <DocumentChoiceField {...{ crawler: name, indexed, recipients, choice }} onChoose={setChoice} />
        </ConfirmDialog>
      )}
    </div>
  );
}
