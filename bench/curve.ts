/** Prints curves of long runs as text: a bar for each sample, and a summary of each stretch of samples. */

export const formatBar = (value: number, fullValue: number): string =>
  '█'.repeat(Math.max(0, Math.round((value / Math.max(fullValue, 1)) * 40)));

/** Formats minutes as hours and minutes: `4:05`. */
export const formatMinutes = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(Math.floor(minutes % 60)).padStart(2, '0')}`;

/** Summarizes each stretch of `minutes` minutes by its minimum, median and maximum. */
export function summarizeStretches(
  samples: readonly { readonly minute: number; readonly value: number }[],
  minutes: number,
): { from: string; min: number; median: number; max: number }[] {
  const groups = Map.groupBy(samples, ({ minute }) => Math.floor(minute / minutes));
  return [...groups].map(([index, group]) => {
    const values = group.map(({ value }) => value).sort((a, b) => a - b);
    return {
      from: formatMinutes(index * minutes),
      min: values[0]!,
      median: values[values.length >> 1]!,
      max: values.at(-1)!,
    };
  });
}
