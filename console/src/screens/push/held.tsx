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

const EVERY_MS = 4000;

export function HeldDeletions(): JSX.Element {
  const held = useResource(
    'held list',
    async (signal) => (await call('GET /api/v1/held-deletions', { signal })).items,
    EVERY_MS,
  );
  return (
    <ResourceView of={held}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState>
            Nothing is held. If too many documents of one host would be deleted at once, the deletions wait here for
            you; if its server fails, they wait here until it serves a good page again.
          </EmptyState>
        ) : (
          items.map((one) => <HostDeletions key={`${one.crawler} ${one.host}`} held={one} onDone={held.reload} />)
        )
      }
    </ResourceView>
  );
}

function HostDeletions({ held, onDone }: { held: HeldDeletionsDto; onDone: () => void }): JSX.Element {
  const [asking, setAsking] = useState<'release' | 'drop'>();
  const mayOperate = useHasRole('operate');
  const { host, crawler } = held;
  return (
    <Panel
      title={host}
      aside={
        mayOperate && (
          <>
            <button type="button" class="button" onClick={() => setAsking('drop')}>
              Drop…
            </button>
            <button type="button" class="button danger" onClick={() => setAsking('release')}>
              Release…
            </button>
          </>
        )
      }
    >
      <div class="stack">
        <p>
          <strong>{formatPlural(held.count, 'deletion')}</strong> of{' '}
          <a href={href('/host', { crawler, host })}>{host}</a> ({crawler}) are held, the oldest since{' '}
          <Time at={held.oldest} relative />.
          {held.awaiting > 0 &&
            ` ${held.awaiting} of them need no decision: they are waiting until the host serves a good page again.`}
        </p>
        <p class="row">
          {Object.entries(held.reasons).map(([code, number]) => (
            <span key={code}>
              <Reason code={code} /> {formatCount(number)}
            </span>
          ))}
        </p>
        <details>
          <summary>Some of them</summary>
          <ul>
            {held.samples.map((uri) => (
              <li key={uri}>
                <UrlLink crawler={crawler} url={uri} />
              </li>
            ))}
          </ul>
        </details>
      </div>
      {asking && <DecisionDialog held={held} what={asking} onClose={() => setAsking(undefined)} onDone={onDone} />}
    </Panel>
  );
}

interface DecisionProps {
  readonly held: HeldDeletionsDto;
  readonly what: 'release' | 'drop';
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DecisionDialog({ held: { host, count: number }, what, onClose, onDone }: DecisionProps): JSX.Element {
  const release = what === 'release';
  const decide = async (): Promise<void> => {
    const { count: done } = await call(`POST /api/v1/held-deletions/{host}/${what}`, { path: { host } });
    showNotice(
      release
        ? `${formatPlural(done, 'deletion')} on the way to the sinks.`
        : `${formatPlural(done, 'deletion')} dropped; the documents stay.`,
    );
    onDone();
  };
  return (
    <ConfirmDialog
      title={release ? 'Release held deletions' : 'Drop held deletions'}
      action={release ? `Delete ${formatPlural(number, 'document')}` : `Keep ${formatPlural(number, 'document')}`}
      danger={release}
      onConfirm={decide}
      onClose={onClose}
    >
      <p>
        {release
          ? `${formatPlural(number, 'document')} of ${host} will be removed from the index.`
          : `${formatPlural(number, 'document')} of ${host} stay in the index until a later visit decides again.`}
      </p>
    </ConfirmDialog>
  );
}
