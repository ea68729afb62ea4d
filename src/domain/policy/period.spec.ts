import { describe, expect, test } from 'vitest';
import { toSeconds } from '../time/units.js';
import { parsePeriod } from './period.js';

const inSeconds = (text: string): number | undefined => {
  const period = parsePeriod(text);
  return period === undefined ? undefined : toSeconds(period);
};

describe('parsePeriod', () => {
  test.each([
    ['600000', 600_000],
    ['200000', 200_000],
    ['1d12h', 129_600],
    ['1m30s', 30 * 86_400 + 30],
    ['1M30s', 90],
    ['1y', 365 * 86_400],
    ['1m-5d', 25 * 86_400],
    ['+2h', 7200],
    ['0', 0],
  ])('reads %s as %d seconds', (text, expected) => {
    expect(inSeconds(text)).toBe(expected);
  });

  test.each(['', ' ', '1', '1D', '1d 12h', '1.5h', 'd', '12h1', '1w', '-1d', '-5', '1h-2h', '1e3', '9'.repeat(11)])(
    'refuses %j unless it is bare seconds',
    (text) => {
      expect(inSeconds(text)).toBe(text === '1' ? 1 : undefined);
    },
  );
});
