import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { HistoryPointDto } from '../../api/schema.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { Chart } from '../../ui/chart.js';
import { formatCount } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { formatRange, type Range, RangeChoice, SPANS, useHistory, useRange } from '../../ui/ranges.js';

export function RateHistory({ crawler }: { crawler: string }): JSX.Element {
  const range = useRange();
  const history = useHistory(crawler, range);
  return (
    <Panel title="Speed" aside={<RangeChoice selectedRange={range} />}>
      <ResourceView resource={history}>
        {(points) =>
          points.length === 0 ? (
            <EmptyState>The first numbers appear within 15 seconds.</EmptyState>
          ) : (
            <Charts points={points} range={range} />
          )
        }
      </ResourceView>
    </Panel>
  );
}

function Charts({ points, range }: { points: readonly HistoryPointDto[]; range: Range }): JSX.Element {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const toRates = (getValue: (point: HistoryPointDto) => number): number[] =>
    points.map((point) => getValue(point) / point.seconds);
  const rangeLabel = formatRange(range);
  return (
    <div class="stack">
      <Chart
        label={`Pages, errors and orders per second, ${rangeLabel}`}
        times={times}
        span={SPANS[range]}
        height={170}
        series={[
          { label: 'pages/s', color: 1, values: toRates(({ pages }) => pages) },
          { label: 'errors/s', color: 2, values: toRates(({ errors }) => errors) },
          { label: 'orders/s', color: 3, values: toRates(({ orders }) => orders) },
        ]}
      />
      <Chart
        label={`Documents in the index, ${rangeLabel}; now ${formatCount(points.at(-1)?.indexed ?? 0)}`}
        times={times}
        span={SPANS[range]}
        height={110}
        series={[{ label: 'documents in the index', color: 1, values: points.map(({ indexed }) => indexed) }]}
      />
    </div>
  );
}
