import { describe, expect, it } from 'vitest';
import { days, hours } from '../time/units.js';
import { parseLifetime } from './stated-lifetime.js';

const DATE = 'Mon, 15 Jun 2026 12:00:00 GMT';

describe('the freshness lifetime that a response states', () => {
  it.each([
    [{ 'cache-control': 'public, max-age=86400' }, days(1)],
    [{ 'cache-control': 'MAX-AGE=3600, s-maxage=7' }, hours(1)],
    [{ 'cache-control': 'max-age=3600', expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: DATE }, hours(1)],
    [{ expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: DATE }, days(1)],
    [{ 'cache-control': 's-maxage=60' }, undefined],
    [{ 'cache-control': 'no-cache, max-age=3600' }, undefined],
    [{ 'cache-control': 'no-store', expires: 'Tue, 16 Jun 2026 12:00:00 GMT', date: DATE }, undefined],
    [{ expires: '0', date: DATE }, undefined],
    [{ expires: 'Sun, 14 Jun 2026 12:00:00 GMT', date: DATE }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])('of %j is %s', (headers, lifetime) =>
    expect(parseLifetime(headers)).toBe(lifetime),
  );
});
