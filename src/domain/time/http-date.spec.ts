import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIsoTime, parseHttpDate } from './http-date.js';
import { instant } from './units.js';

describe('HTTP dates', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784111777000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784111777000],
    ['Sun Nov  6 08:49:37 1994', 784111777000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('reads the form %s of RFC 9110', (text, expected) => expect(parseHttpDate(text)).toBe(expected));

  it.each([
    ['Sun, 06 Nov 1994 10:49:37 +0200', 784111777000],
    ['Sun, 06 Nov 1994 03:49:37 EST', 784111777000],
    ['Sun, 06 Nov 1994 08:49:37 UTC', 784111777000],
    ['Sun, 06 Nov 1994 08:49:37', 784111777000],
  ])('heeds the zone of programs that write the form of mail, as in %s', (text, expected) =>
    expect(parseHttpDate(text)).toBe(expected),
  );

  it.each([
    '',
    'soon',
    '2026-11-21',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Fri, 99 Dec 9999 23:59:59 GMT',
    'Mon, 00 Jan 0000 00:00:00 GMT',
    'Sun, 06 Nov 1994 25:00:00 GMT',
    'Sun, 06 Nov 1994 08:99:99 GMT',
  ])('refuses %j', (text) => expect(parseHttpDate(text)).toBeUndefined());

  it('reads every date that a server may write', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_799 }), (seconds) => {
        expect(parseHttpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000);
      }),
    ));

  it('writes ISO 8601 as the platform does', () =>
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
        expect(formatIsoTime(instant(ms))).toBe(new Date(ms).toISOString());
      }),
    ));
});
