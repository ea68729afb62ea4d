import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from './chart.js';

/** Minimum time span in seconds, so that a few points are not stretched across the whole chart. */
const MIN_SPAN = 600;

const HOUR = 3600;
const DAY = 86_400;
/** Possible intervals between the labels of the time axis, in seconds. */
const LABEL_INTERVALS = [
  60,
  120,
  300,
  600,
  900,
  1800,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
];

const minuteFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const hourFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Formats the labels according to the interval between them, whatever the span of the chart. */
const formatTimeLabels: uPlot.Axis.DynamicValues = (_plot, ticks, _axis, _space, step) =>
  ticks.map((time) => (step < HOUR ? minuteFormat : step < 7 * DAY ? hourFormat : dayFormat).format(time * 1000));

/** Makes the axis wide enough for its longest label. */
const computeAxisSize: uPlot.Axis.Size = (_plot, labels) =>
  16 + 7 * Math.max(4, ...(labels ?? []).map(({ length }) => length));

interface PlotOptions {
  readonly element: HTMLElement;
  readonly series: readonly Series[];
  readonly height: number;
  readonly span: number;
  readonly data: uPlot.AlignedData;
}

function computeTimeRange(times: ArrayLike<number>, span: number): [number, number] {
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 0;
  return [Math.max(last - span, Math.min(first, last - MIN_SPAN)), last];
}

export function createPlot({ element, series, height, span, data }: PlotOptions): uPlot {
  const style = getComputedStyle(document.documentElement);
  const readColor = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: readColor('--muted'),
    grid: { stroke: readColor('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      // The last label is centered on the end of the axis and needs space beyond it.
      padding: [null, 34, null, null],
      legend: { show: false },
      cursor: { y: false },
      scales: {
        x: { range: (plot) => computeTimeRange(plot.data[0], span) },
        y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          space: 70,
          incrs: LABEL_INTERVALS,
          values: formatTimeLabels,
        },
        { ...axis, size: computeAxisSize, space: 22 },
      ],
      series: [
        {},
        ...series.map((line) => ({
          label: line.label,
          stroke: readColor(`--chart-${line.color}`),
          width: 2,
          points: { show: (plot: uPlot) => plot.data[0].length < 3 },
        })),
      ],
    },
    data,
    element,
  );
}
