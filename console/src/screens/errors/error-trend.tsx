import type { JSX } from 'preact';
import type { HistoryPointDto } from '../../api/schema.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { Chart, type Series } from '../../ui/chart.js';
import { formatCount } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { RangeChoice, SPANS, useHistory, useRange } from '../../ui/ranges.js';

/** Maximum number of lines: one for each color. */
const MAX_LINES = 3;

export function ErrorTrend({ crawler }: { crawler: string }): JSX.Element {
  const range = useRange();
  const history = useHistory(crawler, range);
  return (
    <Panel title="Trend" aside={<RangeChoice selectedRange={range} />}>
      <ResourceView resource={history}>{(points) => <Trend points={points} span={SPANS[range]} />}</ResourceView>
    </Panel>
  );
}

function Trend({ points, span }: { points: readonly HistoryPointDto[]; span: number }): JSX.Element {
  const totals = sumErrorsByCode(points);
  if (totals.length === 0) return <EmptyState>No visits failed during this time.</EmptyState>;
  const shownTotals = totals.slice(0, MAX_LINES);
  const series = shownTotals.map(
    ([code, total], index): Series => ({
      label: `${code} (${formatCount(total)})`,
      color: (index + 1) as 1 | 2 | 3,
      values: points.map(({ errorsByCode }) => errorsByCode[code] ?? 0),
    }),
  );
  return (
    <div class="stack">
      <Chart
        label={`Failed visits: ${shownTotals.map(([code, total]) => `${code} ${total}`).join(', ')}`}
        times={points.map(({ at }) => Date.parse(at) / 1000)}
        series={series}
        span={span}
        height={140}
      />
      {totals.length > MAX_LINES && (
        <p class="muted">
          Also{' '}
          {totals
            .slice(MAX_LINES)
            .map(([code, total]) => `${code} (${formatCount(total)})`)
            .join(', ')}
          .
        </p>
      )}
    </div>
  );
}

function sumErrorsByCode(points: readonly HistoryPointDto[]): [string, number][] {
  const totals = new Map<string, number>();
  for (const { errorsByCode } of points) {
    for (const [code, count] of Object.entries(errorsByCode)) totals.set(code, (totals.get(code) ?? 0) + count);
  }
  return [...totals].sort(([, a], [, b]) => b - a);
}
