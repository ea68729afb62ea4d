import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { BackfillDto, SinkDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { addFullStop, formatBytes, formatCount, formatPlural } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { SinkTest } from '../../ui/sink-test.js';
import { StateBadge } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { IndexActions } from './index-actions.js';
import { Reconciliation } from './reconciliation.js';

const POLL_INTERVAL_MS = 3000;

export function Sinks(): JSX.Element {
  const sinks = useResource(
    'sinks',
    async (signal) => (await call('GET /api/v1/sinks', { signal })).items,
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={sinks}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState>
            No sink is configured, so documents are not pushed anywhere.{' '}
            <a href="/configuration?view=forms">Add a Sink in the settings.</a>
          </EmptyState>
        ) : (
          items.map((sink) => <SinkPanel key={sink.name} sink={sink} />)
        )
      }
    </ResourceView>
  );
}

function SinkPanel({ sink }: { sink: SinkDto }): JSX.Element {
  const [comparing, setComparing] = useState(false);
  const mayOperate = useHasRole('operate');
  return (
    <Panel
      title={sink.name}
      aside={
        <>
          <span>
            {sink.type}
            {sink.connector && `, connector ${sink.connector}`}
          </span>
          <StateBadge name={sink.state} />
          {mayOperate && sink.comparable && (
            <button type="button" class="button" disabled={comparing} onClick={() => setComparing(true)}>
              Compare with the store
            </button>
          )}
        </>
      }
    >
      <div class="stack">
        {sink.state !== 'ready' && <SinkOutage sink={sink} />}
        {sink.warning && (
          <div class="notice warn">
            <p>{addFullStop(sink.warning)}</p>
          </div>
        )}
        {(sink.refused > 0 || sink.lacking > 0) && <RefusalNotice sink={sink} />}
        <dl class="figures">
          <div>
            <dt>In flight</dt>
            <dd>
              {formatCount(sink.pending)} <small>orders, {formatBytes(sink.pendingBytes)}</small>
            </dd>
          </div>
          <div>
            <dt>Acknowledged</dt>
            <dd>
              {formatCount(sink.acknowledged)} <small>since the server started</small>
            </dd>
          </div>
          <div>
            <dt>Refused</dt>
            <dd>
              {formatCount(sink.refused)} <small>since the server started</small>
            </dd>
          </div>
        </dl>
        <p class="muted">
          {sink.crawlers.length === 0 ? 'No crawler pushes to this sink.' : `Orders of ${sink.crawlers.join(', ')}.`}
        </p>
        {mayOperate && (
          <SinkTest runTest={() => call('POST /api/v1/sinks/{sink}/test', { path: { sink: sink.name } })} />
        )}
        {mayOperate && <IndexActions sink={sink} />}
        {sink.behind.map(({ crawler, documents, since }) => (
          <p key={crawler}>
            Behind since <Time at={since} relative />: {formatPlural(documents, 'document')} of {crawler} to send. The
            sink receives them automatically.
          </p>
        ))}
        {sink.backfills.map((backfill) => (
          <BackfillProgress key={backfill.crawler} backfill={backfill} />
        ))}
        {comparing && <Reconciliation sink={sink.name} onClose={() => setComparing(false)} />}
      </div>
    </Panel>
  );
}

/** Progress of sending documents that the sink has yet to receive, because it is new or access rights have changed. */
const BackfillProgress = ({
  backfill: { crawler, state, why, total, done, ...rest },
}: {
  backfill: BackfillDto;
}): JSX.Element => (
  <p class={rest.message ? undefined : 'muted'}>
    {why === 'access' ? (
      <>
        Access rights have changed: {formatCount(done)} of {formatPlural(total, 'document')} of {crawler} have been
        checked{state !== 'done' && ' so far'}
      </>
    ) : (
      <>
        {state === 'done' ? 'The sink has received' : 'The sink is receiving'} what {crawler} has indexed:{' '}
        {formatCount(done)} of {formatPlural(total, 'document')}
        {rest.from ? `, ${formatCount(rest.sent)} copied from ${rest.from}` : ', by visiting the pages'}
      </>
    )}
    {rest.waitingVisits > 0 && `; ${formatPlural(rest.waitingVisits, 'visit')} remaining`}.{' '}
    {rest.message && addFullStop(rest.message)}
    {rest.endedAt && <Time at={rest.endedAt} relative />}
  </p>
);

const SinkOutage = ({
  sink: { message = 'The sink is not responding', nextAttemptAt },
}: {
  sink: SinkDto;
}): JSX.Element => (
  <div class="notice bad">
    <p>
      {addFullStop(message)} Nothing is lost: orders wait, and if the crawler’s other sinks keep up, this one catches up
      later.
      {nextAttemptAt && (
        <>
          {' '}
          The next attempt is <Time at={nextAttemptAt} due />.
        </>
      )}
    </p>
  </div>
);

function RefusalNotice({ sink: { crawlers, lastRefusal, lacking } }: { sink: SinkDto }): JSX.Element {
  const chosenName = useCrawler()?.name;
  const crawler = crawlers.find((name) => name === chosenName) ?? crawlers[0];
  return (
    <div class="notice warn">
      <p>
        The sink refused {lacking > 0 ? formatPlural(lacking, 'order') : 'orders'}
        {lastRefusal && `, most recently with: ${lastRefusal}`}. Until every other sink has responded to such an order,
        it is pending in the <a href={href('/push', { crawler, view: 'ledger' })}>ledger</a>; after that, it is among
        the <a href={href('/push', { crawler, view: 'refused' })}>refused orders</a>.
      </p>
    </div>
  );
}
