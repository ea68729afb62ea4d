/**
 * Compares what the sink holds with what it should hold according to the store: first the report, then a repair on
 * request.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { DifferenceDto, ReconciliationDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { ResourceView } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { Time } from '../../ui/time.js';

const reconcile = (sink: string, repair: boolean, signal?: AbortSignal): Promise<ReconciliationDto> =>
  call('POST /api/v1/sinks/{sink}/reconcile', { path: { sink }, query: { repair }, signal });

export function Reconciliation({ sink, onClose }: { sink: string; onClose: () => void }): JSX.Element {
  const [round, setRound] = useState(0);
  const [repairing, setRepairing] = useState(false);
  const [repaired, setRepaired] = useState<ReconciliationDto>();
  const compared = useResource(`reconcile ${sink} ${round}`, (signal) => reconcile(sink, false, signal));
  const reload = (): void => {
    setRepaired(undefined);
    setRound(round + 1);
  };
  return (
    <section class="stack" aria-label="Reconciliation report">
      <ResourceView of={repaired ? { value: repaired, reload: reload } : compared}>
        {(report) => (
          <>
            <Report report={report} />
            <div class="actions">
              {countDifferences(report) > 0 && !report.repaired && (
                <button type="button" class="button primary" onClick={() => setRepairing(true)}>
                  Repair…
                </button>
              )}
              <button type="button" class="button" onClick={reload}>
                Compare again
              </button>
            </div>
            {repairing && (
              <ConfirmDialog
                title={`Repair ${sink}`}
                action="Send the orders"
                onConfirm={async () => setRepaired(await reconcile(sink, true))}
                onClose={() => setRepairing(false)}
              >
                <p>
                  {formatPlural(report.missing.count + report.stale.count, 'page')} will be fetched and pushed again,
                  and {formatPlural(report.extra.count, 'document')} deleted from the sink.
                </p>
              </ConfirmDialog>
            )}
          </>
        )}
      </ResourceView>
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Close the report
        </button>
      </div>
    </section>
  );
}

const Report = ({ report }: { report: ReconciliationDto }): JSX.Element => (
  <>
    <p>
      {formatPlural(report.compared, 'document')} compared, <Time at={report.at} />.{' '}
      {countDifferences(report) === 0 && <strong>The sink holds exactly what it should according to the store.</strong>}
    </p>
    {report.repaired && <p class="notice good">The orders that fix these differences are on the way.</p>}
    <Difference words="indexed according to the store, missing at the sink" difference={report.missing} />
    <Difference words="at the sink, not indexed according to the store" difference={report.extra} />
    <Difference words="held with different content" difference={report.stale} />
  </>
);

const countDifferences = ({ missing, extra, stale }: ReconciliationDto): number =>
  missing.count + extra.count + stale.count;

function Difference({ words, difference }: { words: string; difference: DifferenceDto }): JSX.Element | null {
  if (difference.count === 0) return null;
  return (
    <details open>
      <summary>
        <strong>{formatCount(difference.count)}</strong> {words}
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
