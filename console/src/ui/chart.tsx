/** A line chart over time. uPlot draws on a canvas; a table contains the same numbers for those who cannot see it. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { THEME_CHANGED } from '../shell/theme.js';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  /** Number of the chart colour. */
  readonly colour: 1 | 2 | 3;
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** How far the chart reaches back, in seconds. */
  readonly span: number;
  readonly height?: number;
}

export function Chart({ label, times, series, span, height = 190 }: ChartProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const shape = series.map((one) => one.label).join();
  useEffect(() => {
    let gone = false;
    const draw = async (): Promise<void> => {
      const { createPlot } = await import('./plot.js');
      if (gone || !element.current) return;
      plot.current?.destroy();
      plot.current = createPlot({ element: element.current, series, height, span, data: latest.current });
    };
    void draw();
    const redraw = (): void => void draw();
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.current?.clientWidth ?? 0, height }),
    );
    if (element.current) resize.observe(element.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener(THEME_CHANGED, redraw);
    dark.addEventListener('change', redraw);
    return () => {
      gone = true;
      removeEventListener(THEME_CHANGED, redraw);
      dark.removeEventListener('change', redraw);
      resize.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape, height, span]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <figure>
      <div ref={element} class="chart" style={{ height: `${height}px` }} role="img" aria-label={label} />
      <figcaption class="legend">
        {series.map((one) => (
          <span key={one.label}>
            <i class={`line-${one.colour}`} />
            {one.label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
