/** A line chart over time, drawn on a canvas by uPlot. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { THEME_EVENT } from '../shell/theme.js';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  /** Number of the chart color. */
  readonly color: 1 | 2 | 3;
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Maximum time span of the chart, in seconds. */
  readonly span: number;
  readonly height?: number;
}

export function Chart({ label, times, series, span, height = 190 }: ChartProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const latestData = useRef(data);
  latestData.current = data;
  const labels = series.map((line) => line.label).join();
  useEffect(() => {
    let unmounted = false;
    const draw = async (): Promise<void> => {
      const { createPlot } = await import('./plot.js');
      if (unmounted || !element.current) return;
      plot.current?.destroy();
      plot.current = createPlot({ element: element.current, series, height, span, data: latestData.current });
    };
    void draw();
    const redraw = (): void => void draw();
    const resizeObserver = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.current?.clientWidth ?? 0, height }),
    );
    if (element.current) resizeObserver.observe(element.current);
    const darkModeQuery = matchMedia('(prefers-color-scheme: dark)');
    addEventListener(THEME_EVENT, redraw);
    darkModeQuery.addEventListener('change', redraw);
    return () => {
      unmounted = true;
      removeEventListener(THEME_EVENT, redraw);
      darkModeQuery.removeEventListener('change', redraw);
      resizeObserver.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [labels, height, span]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <figure>
      <div ref={element} class="chart" style={{ height: `${height}px` }} role="img" aria-label={label} />
      <figcaption class="legend">
        {series.map((line) => (
          <span key={line.label}>
            <i class={`line-${line.color}`} />
            {line.label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
