import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { SinkDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useMay } from '../../state/session.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { bytes, count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { State } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Reconciliation } from './reconciliation.js';

const EVERY_MS = 3000;

export function Sinks(): JSX.Element {
  const sinks = useResource('sinks', async (signal) => (await call('GET /api/v1/sinks', { signal })).items, EVERY_MS);
  return (
    <Loaded of={sinks}>
      {(items) =>
        items.length === 0 ? (
          <Empty>
            The configuration names no sink, so documents go nowhere.{' '}
            <a href="/configuration?view=xml">Add a Sink in the XML.</a>
          </Empty>
        ) : (
          items.map((sink) => <SinkPanel key={sink.name} sink={sink} />)
        )
      }
    </Loaded>
  );
}

function SinkPanel({ sink }: { sink: SinkDto }): JSX.Element {
  const [comparing, setComparing] = useState(false);
  const mayOperate = useMay('operate');
  return (
    <Panel
      title={sink.name}
      aside={
        <>
          <span>{sink.type}</span>
          <State name={sink.state} />
          {mayOperate && sink.comparable && (
            <button type="button" class="button" disabled={comparing} onClick={() => setComparing(true)}>
              Compare with the store
            </button>
          )}
        </>
      }
    >
      <div class="stack">
        {sink.state !== 'ready' && (
          <p class="notice bad">
            {sink.message ?? 'It does not answer.'} Orders wait and nothing is lost; fetching slows down meanwhile.
            {sink.nextAttemptAt && (
              <>
                {' '}
                Next attempt <Time at={sink.nextAttemptAt} relative />.
              </>
            )}
          </p>
        )}
        {sink.refused > 0 && (
          <p class="notice warn">
            It refused orders{sink.lastRefusal && `, the last one with: ${sink.lastRefusal}`}. An order that waits for
            another sink too stands as pending in the <a href={href('/push', { view: 'ledger' })}>ledger</a>; afterwards
            it is among the <a href={href('/push', { view: 'refused' })}>refused orders</a>.
          </p>
        )}
        <dl class="figures">
          <div>
            <dt>On the way</dt>
            <dd>
              {count(sink.pending)} <small>orders, {bytes(sink.pendingBytes)}</small>
            </dd>
          </div>
          <div>
            <dt>Acknowledged</dt>
            <dd>
              {count(sink.acknowledged)} <small>since the start</small>
            </dd>
          </div>
          <div>
            <dt>Refused</dt>
            <dd>
              {count(sink.refused)} <small>since the start</small>
            </dd>
          </div>
        </dl>
        <p class="muted">
          {sink.crawlers.length === 0 ? 'No crawler pushes to it.' : `Orders of ${sink.crawlers.join(', ')}.`}
        </p>
        {comparing && <Reconciliation sink={sink.name} onClose={() => setComparing(false)} />}
      </div>
    </Panel>
  );
}
