/** Parses durations in mnoGoSearch's notation, e.g. `Period 1d12h`. */
import { type Duration, seconds } from '../time/units.js';

/** Case matters: `M` is a minute, `m` a month. */
const SECONDS_PER_UNIT: Readonly<Record<string, number>> = {
  s: 1,
  M: 60,
  h: 3600,
  d: 86_400,
  m: 30 * 86_400,
  y: 365 * 86_400,
};

const BARE_SECONDS = /^[+-]?\d{1,10}$/;
const PAIRS = /^(?:[+-]?\d{1,10}[sMhdmy]){1,20}$/;

/**
 * A number without a unit is in seconds; otherwise, the result is the sum of signed number and letter pairs (`1d12h`,
 * `1m-5d`). Undefined for anything else, and for a negative sum.
 */
export function parsePeriod(text: string): Duration | undefined {
  const total = BARE_SECONDS.test(text) ? Number(text) : PAIRS.test(text) ? sumPairs(text) : -1;
  return total >= 0 ? seconds(total) : undefined;
}

function sumPairs(text: string): number {
  let total = 0;
  for (const [, number, letter] of text.matchAll(/([+-]?\d{1,10})([sMhdmy])/g)) {
    total += Number(number) * (SECONDS_PER_UNIT[letter ?? ''] ?? 0);
  }
  return total;
}
