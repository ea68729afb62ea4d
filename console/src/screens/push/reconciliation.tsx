/** Does the sink hold what the store says it holds? The report first, the repair only when a person wants it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { DifferenceDto, ReconciliationDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { Loaded } from '../../ui/answers.js';
import { Confirm } from '../../ui/dialog.js';
import { count, plural } from '../../ui/format.js';
import { say } from '../../ui/notices.js';
import { Time } from '../../ui/time.js';

const compare = (sink: string, repair: boolean, signal?: AbortSignal): Promise<ReconciliationDto> =>
  call('POST /api/v1/sinks/{sink}/reconcile', { path: { sink }, query: { repair }, signal });

export function Reconciliation({ sink, onClose }: { sink: string; onClose: () => void }): JSX.Element {
  const report = useResource(`reconcile ${sink}`, (signal) => compare(sink, false, signal));
  const [repairing, setRepairing] = useState(false);
  const repair = async (): Promise<void> => {
    await compare(sink, true);
    say('Orders that mend the differences are on the way.');
    report.reload();
  };
  return (
    <section class="stack" aria-label="Reconciliation report">
      <Loaded of={report}>
        {(found) => (
          <>
            <p>
              {plural(found.compared, 'document')} compared, <Time at={found.at} />.{' '}
              {differences(found) === 0 && <strong>The sink holds exactly what the store says.</strong>}
            </p>
            <Difference words="indexed by the store's account, absent at the sink" difference={found.missing} />
            <Difference words="at the sink, not indexed by the store's account" difference={found.extra} />
            <Difference words="held with other content" difference={found.stale} />
            <div class="actions">
              {differences(found) > 0 && (
                <button type="button" class="button primary" onClick={() => setRepairing(true)}>
                  Repair…
                </button>
              )}
              <button type="button" class="button" onClick={onClose}>
                Close the report
              </button>
            </div>
            {repairing && (
              <Confirm
                title={`Repair ${sink}`}
                action="Send the orders"
                onConfirm={repair}
                onClose={() => setRepairing(false)}
              >
                <p>
                  {plural(found.missing.count + found.stale.count, 'page')} will be fetched and pushed again, and{' '}
                  {plural(found.extra.count, 'document')} deleted from the sink.
                </p>
              </Confirm>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

const differences = ({ missing, extra, stale }: ReconciliationDto): number => missing.count + extra.count + stale.count;

function Difference({ words, difference }: { words: string; difference: DifferenceDto }): JSX.Element | null {
  if (difference.count === 0) return null;
  return (
    <details open>
      <summary>
        <strong>{count(difference.count)}</strong> {words}
      </summary>
      <ul>
        {difference.samples.map((uri) => (
          <li key={uri} class="url">
            {uri}
          </li>
        ))}
      </ul>
    </details>
  );
}
