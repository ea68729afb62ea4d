import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { HistoryPointDto } from '../../api/schema.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { Chart } from '../../ui/chart.js';
import { Panel } from '../../ui/panel.js';
import { formatRange, RangeChoice, SPANS, useHistory, useRange } from '../../ui/ranges.js';

/** Shows how many URLs were discovered, indexed and kept out over time. */
export function CoverageHistory({ crawler }: { crawler: string }): JSX.Element {
  const range = useRange();
  const history = useHistory(crawler, range);
  return (
    <Panel title="Over time" aside={<RangeChoice selectedRange={range} />}>
      <ResourceView resource={history}>
        {(points) => <CoverageChart points={points} span={SPANS[range]} rangeLabel={formatRange(range)} />}
      </ResourceView>
    </Panel>
  );
}

interface LinesProps {
  readonly points: readonly HistoryPointDto[];
  readonly span: number;
  readonly rangeLabel: string;
}

const KEPT_OUT_STATUSES = ['excluded', 'elsewhere', 'filtered'] as const;

function CoverageChart({ points, span, rangeLabel }: LinesProps): JSX.Element {
  // Points recorded by an earlier version of Crawlway have no statuses.
  const usablePoints = useMemo(() => points.filter(({ byStatus }) => Object.keys(byStatus).length > 0), [points]);
  const times = useMemo(() => usablePoints.map(({ at }) => Date.parse(at) / 1000), [usablePoints]);
  if (usablePoints.length === 0) return <EmptyState>The first numbers appear within 15 seconds.</EmptyState>;
  const totals = usablePoints.map(({ byStatus }) => Object.values(byStatus).reduce((sum, urls) => sum + urls, 0));
  const keptOutCounts = usablePoints.map(({ byStatus }) =>
    KEPT_OUT_STATUSES.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0),
  );
  return (
    <Chart
      label={`Stored URLs, ${rangeLabel}: ${totals.at(-1)} discovered, ${usablePoints.at(-1)?.indexed} indexed, ${keptOutCounts.at(-1)} excluded`}
      times={times}
      span={span}
      height={170}
      series={[
        { label: 'discovered', color: 1, values: totals },
        { label: 'indexed', color: 3, values: usablePoints.map(({ indexed }) => indexed) },
        { label: 'excluded', color: 2, values: keptOutCounts },
      ]}
    />
  );
}
