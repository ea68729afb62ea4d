import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { HistoryPointDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { Chart } from '../../ui/chart.js';
import { count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';

const RANGES = { hour: 'Last hour', week: 'Last week' } as const;
type Range = keyof typeof RANGES;
/** Seconds. */
const SPANS: Readonly<Record<Range, number>> = { hour: 3600, week: 7 * 86_400 };
const EVERY_MS = 15_000;

export function RateHistory({ crawler }: { crawler: string }): JSX.Element {
  const { query } = useRoute();
  const range: Range = query.get('range') === 'week' ? 'week' : 'hour';
  const history = useResource(
    `history ${crawler} ${range}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/history', { path: { crawler }, query: { range }, signal })).items,
    EVERY_MS,
  );
  return (
    <Panel title="Speed" aside={<RangeChoice chosen={range} />}>
      <Loaded of={history}>
        {(points) =>
          points.length === 0 ? (
            <Empty>The first numbers come within 15 seconds.</Empty>
          ) : (
            <Charts points={points} range={range} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Charts({ points, range }: { points: readonly HistoryPointDto[]; range: Range }): JSX.Element {
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const perSecond = (value: (point: HistoryPointDto) => number): number[] =>
    points.map((point) => value(point) / point.seconds);
  const words = RANGES[range].toLowerCase();
  return (
    <div class="stack">
      <Chart
        label={`Pages, errors and orders per second, ${words}`}
        times={times}
        span={SPANS[range]}
        height={170}
        series={[
          { label: 'pages/s', colour: 1, values: perSecond(({ pages }) => pages) },
          { label: 'errors/s', colour: 2, values: perSecond(({ errors }) => errors) },
          { label: 'orders/s', colour: 3, values: perSecond(({ orders }) => orders) },
        ]}
      />
      <Chart
        label={`Documents in the index, ${words}; now ${count(points.at(-1)?.indexed ?? 0)}`}
        times={times}
        span={SPANS[range]}
        height={110}
        series={[{ label: 'documents in the index', colour: 1, values: points.map(({ indexed }) => indexed) }]}
      />
    </div>
  );
}

const RangeChoice = ({ chosen }: { chosen: Range }): JSX.Element => (
  <select
    aria-label="Time shown"
    value={chosen}
    onChange={(event) => changeQuery({ range: event.currentTarget.value }, { replace: true })}
  >
    {Object.entries(RANGES).map(([range, label]) => (
      <option key={range} value={range}>
        {label}
      </option>
    ))}
  </select>
);
