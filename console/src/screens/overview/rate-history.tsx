import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { HistoryPointDto } from '../../api/schema.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { Chart } from '../../ui/chart.js';
import { formatCount } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { type Range, RangeChoice, rangeText, SPANS, useHistory, useRange } from '../../ui/ranges.js';

export function RateHistory({ crawler }: { crawler: string }): JSX.Element {
  const range = useRange();
  const history = useHistory(crawler, range);
  return (
    <Panel title="Speed" aside={<RangeChoice chosen={range} />}>
      <ResourceView of={history}>
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
  const toRates = (value: (point: HistoryPointDto) => number): number[] =>
    points.map((point) => value(point) / point.seconds);
  const words = rangeText(range);
  return (
    <div class="stack">
      <Chart
        label={`Pages, errors and orders per second, ${words}`}
        times={times}
        span={SPANS[range]}
        height={170}
        series={[
          { label: 'pages/s', colour: 1, values: toRates(({ pages }) => pages) },
          { label: 'errors/s', colour: 2, values: toRates(({ errors }) => errors) },
          { label: 'orders/s', colour: 3, values: toRates(({ orders }) => orders) },
        ]}
      />
      <Chart
        label={`Documents in the index, ${words}; now ${formatCount(points.at(-1)?.indexed ?? 0)}`}
        times={times}
        span={SPANS[range]}
        height={110}
        series={[{ label: 'documents in the index', colour: 1, values: points.map(({ indexed }) => indexed) }]}
      />
    </div>
  );
}
