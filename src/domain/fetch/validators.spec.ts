import { describe, expect, it } from 'vitest';
import { days, hours, instant } from '../time/units.js';
import { isFullReadingDue, isSameVersion, parseLifetime, readValidators } from './validators.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';

describe('the validators of a response', () => {
  it('are the ones that a conditional request needs', () => {
    expect(readValidators({ etag: 'W/"1"', 'last-modified': DATE })).toEqual({ etag: 'W/"1"', lastModified: DATE });
    expect(readValidators({})).toEqual({});
  });

  it('are dropped when they are empty or too long', () => {
    expect(readValidators({ etag: `"${'x'.repeat(59_000)}"`, 'last-modified': 'garbage' })).toEqual({});
    expect(readValidators({ etag: '', 'last-modified': `${DATE}${' '.repeat(9_000)}` })).toEqual({});
  });

  it('are kept up to 1,024 characters of an ETag and 64 of a date', () => {
    const etag = (length: number) => readValidators({ etag: 'x'.repeat(length) }).etag?.length;
    expect([etag(1), etag(1_024), etag(1_025)]).toEqual([1, 1_024, undefined]);
    const date = (length: number) => readValidators({ 'last-modified': DATE.padEnd(length) }).lastModified?.length;
    expect([date(64), date(65)]).toEqual([64, undefined]);
  });
});

it.each([
  ['"a"', '"a"', true],
  ['"a"', 'W/"a"', true],
  ['"a-gzip"', '"a"', true],
  ['"a"', 'W/"a;br"', true],
  ['a--gzip', '"a"', true],
  ['"a"', '"b"', false],
  ['"gzip"', '"br"', false],
  ['"a-gzip"', '"b-gzip"', false],
])('the ETags %s and %s name the same version: %s', (etag, other, expected) => {
  expect(isSameVersion(etag, other)).toBe(expected);
});

const SENT = 'Mon, 15 Jun 2026 12:00:00 GMT';

describe('the freshness lifetime that a response states', () => {
  it.each([
    [{ 'cache-control': 'public, max-age=86400' }, days(1)],
    [{ 'cache-control': 'MAX-AGE=3600, s-maxage=7' }, hours(1)],
    [{ 'cache-control': 'max-age=3600', expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: SENT }, hours(1)],
    [{ expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: SENT }, days(1)],
    [{ 'cache-control': 's-maxage=60' }, undefined],
    [{ 'cache-control': 'no-cache, max-age=3600' }, undefined],
    [{ 'cache-control': 'no-store', expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: SENT }, undefined],
    [{ expires: '0', date: SENT }, undefined],
    [{ expires: 'Sun, 14 Jun 2026 12:00:00 GMT', date: SENT }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])('of %j is %s', (headers, lifetime) =>
    expect(parseLifetime(headers)).toBe(lifetime),
  );
});

describe('a full reading', () => {
  const onDay = (day: number) => instant(days(20_000 + day));
  const IDS = Array.from({ length: 3_000 }, (_, i) => i + 1);
  const countDue = (from: number, to: number): number =>
    IDS.filter((id) => isFullReadingDue(id, onDay(from), onDay(to))).length;

  it('is due once in thirty days, for each page at a time of its own', () => {
    expect(countDue(0, 30)).toBe(IDS.length);
    for (const day of [0, 7, 29]) {
      expect(countDue(day, day + 1)).toBeGreaterThan(80);
      expect(countDue(day, day + 1)).toBeLessThan(120);
    }
    expect(countDue(1, 1)).toBe(0);
  });
});
