import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from './chart.js';

/** Minimum time span in seconds, so that a chart with a few points still looks like a chart. */
const LEAST = 600;

const HOUR = 3600;
const DAY = 86_400;
/** Seconds between two labels of the time axis. */
const STEPS = [60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY];

const byMinute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const byDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const byHour = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Labels that are minutes apart show the time to the minute, whatever the span of the chart. */
const formatTimeLabels: uPlot.Axis.DynamicValues = (_plot, ticks, _axis, _space, step) =>
  ticks.map((at) => (step < HOUR ? byMinute : step < 7 * DAY ? byHour : byDay).format(at * 1000));

/** The axis is as wide as its longest label. */
const labelWidth: uPlot.Axis.Size = (_plot, labels) =>
  16 + 7 * Math.max(4, ...(labels ?? []).map(({ length }) => length));

interface PlotOptions {
  readonly element: HTMLElement;
  readonly series: readonly Series[];
  readonly height: number;
  readonly span: number;
  readonly data: uPlot.AlignedData;
}

function timeRange(times: ArrayLike<number>, span: number): [number, number] {
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 0;
  return [Math.max(last - span, Math.min(first, last - LEAST)), last];
}

export function createPlot({ element, series, height, span, data }: PlotOptions): uPlot {
  const style = getComputedStyle(document.documentElement);
  const readColour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: readColour('--muted'),
    grid: { stroke: readColour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      // The last label is centred on the end of the axis.
      padding: [null, 34, null, null],
      legend: { show: false },
      cursor: { y: false },
      scales: {
        x: { range: (plot) => timeRange(plot.data[0], span) },
        y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 28,
          space: 70,
          incrs: STEPS,
          values: formatTimeLabels,
        },
        { ...axis, size: labelWidth, space: 22 },
      ],
      series: [
        {},
        ...series.map((one) => ({
          label: one.label,
          stroke: readColour(`--chart-${one.colour}`),
          width: 2,
          points: { show: (plot: uPlot) => plot.data[0].length < 3 },
        })),
      ],
    },
    data,
    element,
  );
}
