/** Curves of long runs as text: a line for each sample, and what a whole stretch of them came to. */

export const bar = (value: number, full: number): string =>
  '█'.repeat(Math.max(0, Math.round((value / Math.max(full, 1)) * 40)));

/** `4:05`: hours and minutes. */
export const clockFace = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(Math.floor(minutes % 60)).padStart(2, '0')}`;

/** Minimum, median and maximum of each stretch of so many minutes. */
export function stretches(
  samples: readonly { readonly minute: number; readonly value: number }[],
  minutes: number,
): { from: string; min: number; median: number; max: number }[] {
  const groups = Map.groupBy(samples, ({ minute }) => Math.floor(minute / minutes));
  return [...groups].map(([number, group]) => {
    const values = group.map(({ value }) => value).sort((a, b) => a - b);
    return {
      from: clockFace(number * minutes),
      min: values[0]!,
      median: values[values.length >> 1]!,
      max: values.at(-1)!,
    };
  });
}
