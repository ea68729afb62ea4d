import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { HeldChangeGroupDto, HeldDeletionsDto } from '../../api/schema.js';
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
            your decision; if the host fails, they wait here until it serves a good page again. If many pages of a host
            suddenly say the same, their documents stay as they are, and the change waits here.
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
  const { host, crawler, changes } = deletions;
  const noun = getNoun(deletions);
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
          <strong>{formatHeld(deletions.count, noun)}</strong> of <a href={href('/host', { crawler, host })}>{host}</a>{' '}
          ({crawler}) {deletions.count === 1 ? 'is held. Decided' : 'are held. The oldest was decided'}{' '}
          <Time at={deletions.oldest} relative />.
          {deletions.awaiting > 0 &&
            ` No decision is needed for ${deletions.awaiting}: waiting until the host is well again.`}
        </p>
        <DeletionReasons deletions={deletions} />
        {changes.map((group) => (
          <ChangeGroup key={group.cause} host={host} crawler={crawler} group={group} onDone={onDone} />
        ))}
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

/** Changes are shown by cause, each with its own decision. */
function DeletionReasons({ deletions: { reasons, changes } }: { deletions: HeldDeletionsDto }): JSX.Element | null {
  const own = Object.entries(reasons).filter(([code]) => !changes.some(({ cause }) => cause === code));
  if (own.length === 0) return null;
  return (
    <p class="row">
      {own.map(([code, count]) => (
        <span key={code}>
          <Reason code={code} /> {formatCount(count)}
        </span>
      ))}
    </p>
  );
}

/** Deletions and changes have different consequences. */
const getNoun = ({ count, changes }: HeldDeletionsDto): string => {
  const changeCount = changes.reduce((sum, group) => sum + group.count, 0);
  return changeCount === 0 ? 'deletion' : changeCount === count ? 'change' : 'deletion or change';
};

const formatHeld = (count: number, noun: string): string =>
  formatPlural(count, noun, noun === 'deletion or change' ? 'deletions and changes' : `${noun}s`);

interface ChangeGroupProps {
  readonly host: string;
  readonly crawler: string;
  readonly group: HeldChangeGroupDto;
  readonly onDone: () => void;
}

/** The held changes of one cause, which can be decided without the others. */
function ChangeGroup({ host, crawler, group, onDone }: ChangeGroupProps): JSX.Element {
  const { cause, count, oldest, replaces, deletes } = group;
  const [isOpen, setIsOpen] = useState(false);
  const mayOperate = useHasRole('operate');
  const decide = async (decision: 'release' | 'drop'): Promise<void> => {
    const target = { path: { host }, query: { reason: cause } };
    const { count: doneCount } = await call(`POST /api/v1/held-deletions/{host}/${decision}`, target);
    showNotice(`${formatPlural(doneCount, 'change')} ${decision === 'release' ? 'released' : 'dropped'}.`);
    onDone();
  };
  return (
    <div class="stack">
      <p class="row">
        <Reason code={cause} />
        <span>
          {formatPlural(count, 'change')} since <Time at={oldest} relative />:{' '}
          {replaces > 0 && `${formatPlural(replaces, 'document')} would be replaced`}
          {replaces > 0 && deletes > 0 && ', '}
          {deletes > 0 && `${formatPlural(deletes, 'document')} would be deleted`}.
        </span>
        {mayOperate && (
          <>
            <button type="button" class="button" onClick={() => void decide('drop')}>
              Drop
            </button>
            <button type="button" class="button danger" onClick={() => void decide('release')}>
              Believe the pages
            </button>
          </>
        )}
      </p>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Compare</summary>
        {isOpen && <ChangeTable host={host} crawler={crawler} cause={cause} />}
      </details>
    </div>
  );
}

function ChangeTable({ host, crawler, cause }: { host: string; crawler: string; cause: string }): JSX.Element {
  const samples = useResource(`held changes ${host}`, async (signal) => {
    const { items } = await call('GET /api/v1/held-deletions/{host}/changes', { path: { host }, signal });
    return items.filter((item) => item.crawler === crawler && item.cause === cause);
  });
  return (
    <ResourceView resource={samples}>
      {(items) => (
        <table>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">In the index</th>
              <th scope="col">Last visit</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ uri, title, indexedText, finding }) => (
              <tr key={uri}>
                <td>
                  <UrlLink crawler={crawler} url={uri} />
                </td>
                <td>
                  <strong>{title}</strong> {indexedText ?? '(no sink shows its text)'}
                </td>
                <td>{finding ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </ResourceView>
  );
}

interface DecisionProps {
  readonly deletions: HeldDeletionsDto;
  readonly decision: 'release' | 'drop';
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DecisionDialog({ deletions, decision, onClose, onDone }: DecisionProps): JSX.Element {
  const isRelease = decision === 'release';
  const { host, count: heldCount } = deletions;
  const noun = getNoun(deletions);
  const decide = async (): Promise<void> => {
    const { count: doneCount } = await call(`POST /api/v1/held-deletions/{host}/${decision}`, { path: { host } });
    showNotice(
      isRelease
        ? `${formatHeld(doneCount, noun)} ${noun === 'deletion' ? 'on the way to the sinks' : 'released'}.`
        : `${formatHeld(doneCount, noun)} dropped; the documents stay.`,
    );
    onDone();
  };
  return (
    <ConfirmDialog
      title={`${isRelease ? 'Release' : 'Drop'} held ${noun === 'deletion or change' ? 'deletions and changes' : `${noun}s`}`}
      action={`${isRelease ? 'Release' : 'Drop'} ${formatHeld(heldCount, noun)}`}
      danger={isRelease}
      onConfirm={decide}
      onClose={onClose}
    >
      <p>
        {isRelease
          ? `${formatPlural(heldCount, 'document')} of ${host} will be ${noun === 'deletion' ? 'removed from the index' : 'removed from the index, or replaced by what their pages say now'}.`
          : `${formatPlural(heldCount, 'document')} of ${host} will stay in the index: until a later visit finds a page gone again, or until a page says something else.`}
      </p>
    </ConfirmDialog>
  );
}
