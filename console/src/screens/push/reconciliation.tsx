/**
 * Compares what the sink holds with what it should hold according to the store. It shows a report first, and repairs
 * the differences on request.
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
  const [reloadCount, setReloadCount] = useState(0);
  const [repairing, setRepairing] = useState(false);
  const [repairReport, setRepairReport] = useState<ReconciliationDto>();
  const comparison = useResource(`reconcile ${sink} ${reloadCount}`, (signal) => reconcile(sink, false, signal));
  const reload = (): void => {
    setRepairReport(undefined);
    setReloadCount(reloadCount + 1);
  };
  return (
    <section class="stack" aria-label="Reconciliation report">
      <ResourceView resource={repairReport ? { value: repairReport, reload } : comparison}>
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
                onConfirm={async () => setRepairReport(await reconcile(sink, true))}
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
    <Difference label="indexed according to the store, but missing in the sink" difference={report.missing} />
    <Difference label="in the sink, but not indexed according to the store" difference={report.extra} />
    <Difference label="held with different content" difference={report.stale} />
  </>
);

const countDifferences = ({ missing, extra, stale }: ReconciliationDto): number =>
  missing.count + extra.count + stale.count;

function Difference({ label, difference }: { label: string; difference: DifferenceDto }): JSX.Element | null {
  if (difference.count === 0) return null;
  return (
    <details open>
      <summary>
        <strong>{formatCount(difference.count)}</strong> {label}
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
