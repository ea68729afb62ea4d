import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { HistoryPointDto } from '../../api/schema.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { Chart } from '../../ui/chart.js';
import { Panel } from '../../ui/panel.js';
import { RangeChoice, rangeText, SPANS, useHistory, useRange } from '../../ui/ranges.js';

/** Shows how many URLs were discovered, indexed and kept out over time. */
export function CoverageHistory({ crawler }: { crawler: string }): JSX.Element {
  const range = useRange();
  const history = useHistory(crawler, range);
  return (
    <Panel title="Over time" aside={<RangeChoice chosen={range} />}>
      <ResourceView of={history}>
        {(points) => <CoverageChart points={points} span={SPANS[range]} words={rangeText(range)} />}
      </ResourceView>
    </Panel>
  );
}

interface LinesProps {
  readonly points: readonly HistoryPointDto[];
  readonly span: number;
  readonly words: string;
}

const KEPT_OUT = ['excluded', 'elsewhere', 'filtered'] as const;

function CoverageChart({ points, span, words }: LinesProps): JSX.Element {
  // Points that an earlier version recorded have no statuses.
  const known = useMemo(() => points.filter(({ byStatus }) => Object.keys(byStatus).length > 0), [points]);
  const times = useMemo(() => known.map(({ at }) => Date.parse(at) / 1000), [known]);
  if (known.length === 0) return <EmptyState>The first numbers appear within 15 seconds.</EmptyState>;
  const all = known.map(({ byStatus }) => Object.values(byStatus).reduce((sum, urls) => sum + urls, 0));
  const keptOut = known.map(({ byStatus }) => KEPT_OUT.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0));
  return (
    <Chart
      label={`Stored URLs, ${words}: ${all.at(-1)} discovered, ${known.at(-1)?.indexed} indexed, ${keptOut.at(-1)} excluded`}
      times={times}
      span={span}
      height={170}
      series={[
        { label: 'discovered', colour: 1, values: all },
        { label: 'indexed', colour: 3, values: known.map(({ indexed }) => indexed) },
        { label: 'excluded', colour: 2, values: keptOut },
      ]}
    />
  );
}
