/** Sites that move: one card for each, with what has arrived, what leads nowhere, and what waits for a decision. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { SiteMoveDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

const POLL_INTERVAL_MS = 10_000;

export function Moves({ crawler }: { crawler: string }): JSX.Element | null {
  const moves = useResource(
    `moves ${crawler}`,
    async (signal) => (await call('GET /api/v1/moves', { signal })).items.filter((move) => move.crawler === crawler),
    POLL_INTERVAL_MS,
  );
  return (
    <>
      {(moves.value ?? []).map((move) => (
        <Panel
          key={`${move.root} ${move.target}`}
          title={move.pages ? 'The pages of a site move' : 'A site has moved'}
          aside={!move.pages && <Decision move={move} onDone={moves.reload} />}
        >
          <div class="stack">
            <p>
              <code>{move.pages?.from ?? move.root}</code> → <code>{move.target}</code>, since{' '}
              <Time at={move.since} relative />.
            </p>
            {move.pages ? <Progress crawler={crawler} pages={move.pages} /> : <Undecided move={move} />}
          </div>
        </Panel>
      ))}
    </>
  );
}

const Undecided = ({ move: { reason, documents } }: { move: SiteMoveDto }): JSX.Element => (
  <p>
    The crawl does not follow by itself: <Reason code={reason} />. {formatPlural(documents, 'document')}{' '}
    {documents === 1 ? 'stays as it is' : 'stay as they are'} until someone decides.
  </p>
);

interface ProgressProps {
  readonly crawler: string;
  readonly pages: NonNullable<SiteMoveDto['pages']>;
}

function Progress({ crawler, pages: { done, total, waiting, failing, nowhere } }: ProgressProps): JSX.Element {
  return (
    <>
      <progress value={done + nowhere.length} max={Math.max(total, 1)} />
      <p>
        <strong>
          {formatCount(done)} of {formatPlural(total, 'page')}
        </strong>{' '}
        {total === 1 ? 'is' : 'are'} found at the new address
        {done + nowhere.length < total && ', the others at the old one'}.
        {waiting > 0 && ` ${formatCount(waiting)} wait for a visit to the new one.`}
        {failing > 0 && ` The new addresses of ${formatCount(failing)} fail.`}
      </p>
      {nowhere.length > 0 && (
        <details>
          <summary>
            {formatPlural(nowhere.length, 'page leads', 'pages lead')} nowhere: the new address does not exist
          </summary>
          <ul>
            {nowhere.map((url) => (
              <li key={url}>
                <UrlLink crawler={crawler} url={url} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Decision({ move, onDone }: { move: SiteMoveDto; onDone: () => void }): JSX.Element | null {
  const { crawler, root } = move;
  const mayOperate = useHasRole('operate');
  const decide = async (follow: boolean): Promise<void> => {
    await call('POST /api/v1/crawlers/{crawler}/moves', { path: { crawler }, body: { root, follow } });
    showNotice(follow ? `${root} is crawled at its new address.` : `${root} is not followed.`);
    onDone();
  };
  if (!mayOperate) return null;
  return (
    <>
      <button type="button" class="button" onClick={() => void decide(false)}>
        Decline
      </button>
      <button type="button" class="button" onClick={() => void decide(true)}>
        Follow
      </button>
    </>
  );
}
