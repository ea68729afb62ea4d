import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { HeldDeletionsDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

const POLL_INTERVAL_MS = 4000;

export function HeldDeletions(): JSX.Element {
  const heldDeletions = useResource(
    'held list',
    async (signal) => (await call('GET /api/v1/held-deletions', { signal })).items,
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={heldDeletions}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState>
            Nothing is held. If too many documents of one host would be deleted at once, the deletions wait here for
            your decision; if the host fails, they wait here until it serves a good page again.
          </EmptyState>
        ) : (
          items.map((deletions) => (
            <HostDeletions
              key={`${deletions.crawler} ${deletions.host}`}
              deletions={deletions}
              onDone={heldDeletions.reload}
            />
          ))
        )
      }
    </ResourceView>
  );
}

function HostDeletions({ deletions, onDone }: { deletions: HeldDeletionsDto; onDone: () => void }): JSX.Element {
  const [decision, setDecision] = useState<'release' | 'drop'>();
  const mayOperate = useHasRole('operate');
  const { host, crawler } = deletions;
  return (
    <Panel
      title={host}
      aside={
        mayOperate && (
          <>
            <button type="button" class="button" onClick={() => setDecision('drop')}>
              Drop…
            </button>
            <button type="button" class="button danger" onClick={() => setDecision('release')}>
              Release…
            </button>
          </>
        )
      }
    >
      <div class="stack">
        <p>
          <strong>{formatPlural(deletions.count, 'deletion')}</strong> of{' '}
          <a href={href('/host', { crawler, host })}>{host}</a> ({crawler}){' '}
          {deletions.count === 1 ? 'is held, since' : 'are held, the oldest since'}{' '}
          <Time at={deletions.oldest} relative />.
          {deletions.awaiting > 0 &&
            ` No decision is needed for ${deletions.awaiting}: waiting until the host serves a good page again.`}
        </p>
        <p class="row">
          {Object.entries(deletions.reasons).map(([code, count]) => (
            <span key={code}>
              <Reason code={code} /> {formatCount(count)}
            </span>
          ))}
        </p>
        <details>
          <summary>Some of them</summary>
          <ul>
            {deletions.samples.map((uri) => (
              <li key={uri}>
                <UrlLink crawler={crawler} url={uri} />
              </li>
            ))}
          </ul>
        </details>
      </div>
      {decision && (
        <DecisionDialog
          deletions={deletions}
          decision={decision}
          onClose={() => setDecision(undefined)}
          onDone={onDone}
        />
      )}
    </Panel>
  );
}

interface DecisionProps {
  readonly deletions: HeldDeletionsDto;
  readonly decision: 'release' | 'drop';
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DecisionDialog({
  deletions: { host, count: deletionCount },
  decision,
  onClose,
  onDone,
}: DecisionProps): JSX.Element {
  const isRelease = decision === 'release';
  const decide = async (): Promise<void> => {
    const { count: doneCount } = await call(`POST /api/v1/held-deletions/{host}/${decision}`, { path: { host } });
    showNotice(
      isRelease
        ? `${formatPlural(doneCount, 'deletion')} on the way to the sinks.`
        : `${formatPlural(doneCount, 'deletion')} dropped; the documents stay.`,
    );
    onDone();
  };
  return (
    <ConfirmDialog
      title={isRelease ? 'Release held deletions' : 'Drop held deletions'}
      action={
        isRelease
          ? `Delete ${formatPlural(deletionCount, 'document')}`
          : `Keep ${formatPlural(deletionCount, 'document')}`
      }
      danger={isRelease}
      onConfirm={decide}
      onClose={onClose}
    >
      <p>
        {isRelease
          ? `${formatPlural(deletionCount, 'document')} of ${host} will be removed from the index.`
          : `${formatPlural(deletionCount, 'document')} of ${host} will stay in the index until a later visit decides again.`}
      </p>
    </ConfirmDialog>
  );
}
