import { describe, expect, it } from 'vitest';
import { toTypedMeta } from './meta-types.js';
import { parseTypedValue } from './typed-values.js';

const parse = (text: string, type: Parameters<typeof parseTypedValue>[1]) =>
  parseTypedValue(text, type, 'http://a.example/b/c');

describe('a date', () => {
  it.each([
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2026-3-4', '2026-03-04T00:00:00.000Z'],
    ['2026-03', '2026-03-01T00:00:00.000Z'],
    ['2026-12-31', '2026-12-31T00:00:00.000Z'],
    ['2026-03-04T05:06Z', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04 5:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04T05:06:07.123456789Z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07,1', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04t05:06:07z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07+02:30', '2026-03-04T02:36:07.000Z'],
    ['2026-03-04T05:06:07-0230', '2026-03-04T07:36:07.000Z'],
    ['2026-03-04 05:06:07 UTC', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04 05:06:07 GMT', '2026-03-04T05:06:07.000Z'],
    ['2026/3/4', '2026-03-04T00:00:00.000Z'],
    ['2026.03.04', '2026-03-04T00:00:00.000Z'],
    ['20260304', '2026-03-04T00:00:00.000Z'],
    ['4.3.2026', '2026-03-04T00:00:00.000Z'],
    ['14.03.2026', '2026-03-14T00:00:00.000Z'],
    ['4 March 2026', '2026-03-04T00:00:00.000Z'],
    ['04 mar 2026', '2026-03-04T00:00:00.000Z'],
    ['4. March, 2026', '2026-03-04T00:00:00.000Z'],
    ['1st January 2026', '2026-01-01T00:00:00.000Z'],
    ['2nd Feb. 2026', '2026-02-02T00:00:00.000Z'],
    ['3rd Sept 2026', '2026-09-03T00:00:00.000Z'],
    ['24th December 2026', '2026-12-24T00:00:00.000Z'],
    ['Wednesday, 4 March 2026', '2026-03-04T00:00:00.000Z'],
    ['Wed. 4 March 2026', '2026-03-04T00:00:00.000Z'],
    ['March 4, 2026', '2026-03-04T00:00:00.000Z'],
    ['Mar. 4 2026', '2026-03-04T00:00:00.000Z'],
    ['Wed, March 4th, 2026', '2026-03-04T00:00:00.000Z'],
    ['Wed, 04 Mar 2026 05:06:07 GMT', '2026-03-04T05:06:07.000Z'],
    ['Wed, 4 Mar 2026 05:06:07 +0200', '2026-03-04T03:06:07.000Z'],
    ['Wed, 4 Mar 2026 05:06 EST', '2026-03-04T10:06:00.000Z'],
    ['Wednesday, 04-Mar-26 05:06:07 PST', '2026-03-04T13:06:07.000Z'],
    ['Wed Mar  4 05:06:07 2026', '2026-03-04T05:06:07.000Z'],
    ['Wed Mar 04 2026 05:06:07 GMT+0100 (Central European Standard Time)', '2026-03-04T04:06:07.000Z'],
    ['2026-03-04 05:06:07+02', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04T05:06:07+01:00[Europe/Berlin]', '2026-03-04T04:06:07.000Z'],
    ['20260304T050607Z', '2026-03-04T05:06:07.000Z'],
    ['2026/03/04 05:06:07', '2026-03-04T05:06:07.000Z'],
    ['04.03.2026, 15:06 Uhr', '2026-03-04T15:06:00.000Z'],
    ['04.03.2026 15:06 CET', '2026-03-04T14:06:00.000Z'],
    ['March 4, 2026 at 12:06 a.m.', '2026-03-04T00:06:00.000Z'],
    ['March 4, 2026, 12:06 PM', '2026-03-04T12:06:00.000Z'],
    ['4 March 2026 1:06 pm GMT-0500', '2026-03-04T18:06:00.000Z'],
    ['4 March 2026 1:06 pm GMT-5', '2026-03-04T18:06:00.000Z'],
    ['Wed Mar  4 05:06:07 CET 2026', '2026-03-04T04:06:07.000Z'],
    ['Wed Mar 04 05:06:07 JST 2026', '2026-03-03T20:06:07.000Z'],
    ['4 March 2026 05:06 AEDT', '2026-03-03T18:06:00.000Z'],
    ['Mar 4 05:06:07 +0200 2026', '2026-03-04T03:06:07.000Z'],
    ['Wed,4 Mar 2026 05:06:07 GMT;', '2026-03-04T05:06:07.000Z'],
    ['Wed , 4 Mar 2026 05:06:07 +0100 (Berlin (winter))', '2026-03-04T04:06:07.000Z'],
    ['4 Mar 2026 05:06:07 America/New_York', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07.1234567890Z', '2026-03-04T05:06:07.000Z'],
    ['March 2026', '2026-03-01T00:00:00.000Z'],
    ['2026 Mar 4', '2026-03-04T00:00:00.000Z'],
    ['04/Mar/2026', '2026-03-04T00:00:00.000Z'],
    ['1772600767', '2026-03-04T05:06:07.000Z'],
    ['1772600767000', '2026-03-04T05:06:07.000Z'],
    [`${' '.repeat(200)}2026-03-04`, '2026-03-04T00:00:00.000Z'],
  ])('%j is %s', (text, expected) => {
    expect(parse(text, 'date')).toBe(expected);
    expect(parse(` ${text}\n`, 'date')).toBe(expected);
  });

  it.each([
    '',
    'soon',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-00-01',
    '2026-03-04T25:00Z',
    '2026-03-04T05:60',
    '2026-03-04 05:06 o’clock',
    '05:06',
    '17726007670',
    'on 2026-03-04',
    '2026-03-04 noon',
    'x2026/3/4',
    '2026/3/4x',
    '120260304',
    '202603041',
    '14.3.20261',
    'x4.3.2026',
    '4 Marzo 2026',
    '4 Marchy 2026',
    'March 4, 20261',
    '1 4 March 2026',
    '4/3/2026',
    `2026-03-04${'x'.repeat(100)}`,
  ])('%j is none', (text) => expect(parse(text, 'date')).toBeUndefined());
});

it('months are named in full, or by their first three or four letters', () => {
  const months = 'January February March April May June July August September October November December'.split(' ');
  for (const [index, name] of months.entries()) {
    const expected = `2026-${String(index + 1).padStart(2, '0')}-05T00:00:00.000Z`;
    for (const written of [name, name.toUpperCase(), name.slice(0, 3), name.slice(0, 4)])
      expect(parse(`5 ${written} 2026`, 'date'), written).toBe(expected);
  }
});

describe('a number', () => {
  it.each([
    ['7', '7'],
    ['-7', '-7'],
    ['+7', '7'],
    ['1,5', '1.5'],
    ['1.234', '1.234'],
    ['1,234', '1234'],
    ['1,2345', '1.2345'],
    ['12,34', '12.34'],
    ['1.234.567', '1234567'],
    ['1,234,567', '1234567'],
    ['1.234,50', '1234.5'],
    ['1,234.50', '1234.5'],
    ['1.234.567,8', '1234567.8'],
    ["1'234.50", '1234.5'],
    ['1’234.50', '1234.5'],
    ['1´234‘567', '1234567'],
    ['1`234ʼ567', '1234567'],
    ['$.99', '0.99'],
    ['No.5', '5'],
    ['1 234 567', '1234567'],
    ['1\u00a0234,5', '1234.5'],
    ['1\u202f234,5', '1234.5'],
    ['12.', '12'],
    ['12,.', '12'],
    ['EUR 12.90 incl. VAT', '12.9'],
    ['from 3 to 5', '3'],
    ['10, 20, 30', '10'],
    ['10,20,30', '10'],
    ['4.5, 1,234 reviews', '4.5'],
    ['12.5 100', '12.5'],
    ['3 10', '3'],
    ["5'10", '5'],
    ['12,34,567', '1234567'],
    ['−7.5 °C', '-7.5'],
    ['CO-2', '2'],
    ['1e+21', '1e+21'],
    ['1.5e3 m', '1500'],
    ['0.000', '0'],
  ])('%j is %s', (text, expected) => expect(parse(text, 'number')).toBe(expected));

  it.each(['', 'none', '.', '-', 'x'.repeat(99), `${'1'.repeat(101)}`])('%j is none', (text) =>
    expect(parse(text, 'number')).toBeUndefined(),
  );

  it('may have 100 characters', () => expect(parse(`7${' '.repeat(98)}x`, 'number')).toBe('7'));
});

it.each([
  ['true', 'true'],
  ['YES', 'true'],
  ['1', 'true'],
  ['On', 'true'],
  ['false', 'false'],
  ['No', 'false'],
  ['0', 'false'],
  ['off', 'false'],
  ['', undefined],
  ['maybe', undefined],
  ['yes!', undefined],
])('the boolean %j is %s', (text, expected) => expect(parse(text, 'boolean')).toBe(expected));

it.each([
  ['d', 'http://a.example/b/d'],
  ['/d', 'http://a.example/d'],
  ['https://b.example', 'https://b.example/'],
  ['http://[', undefined],
  [' ', undefined],
])('the URL %j is %s', (text, expected) => expect(parse(text, 'url')).toBe(expected));

it('a text is trimmed, and may be of any length', () => {
  expect(parse(' a b ', 'text')).toBe('a b');
  expect(parse('x'.repeat(500), 'text')).toHaveLength(500);
  expect(parse(`http://a.example/${'x'.repeat(500)}`, 'url')).toHaveLength(517);
  expect(parse('  ', 'text')).toBeUndefined();
});

it.each([
  ['date_published', '2026-03-04', { value: '2026-03-04T00:00:00.000Z', type: 'date' }],
  ['crawl_time', '2026-03-04T05:06:07.123Z', { value: '2026-03-04T05:06:07.123Z', type: 'date' }],
  ['date_published', 'in spring', { value: 'in spring' }],
  ['page_count', '7', { value: '7', type: 'number' }],
  ['page_count', 'seven', { value: 'seven' }],
  ['team', '7', { value: '7' }],
])('the meta %s with the value %j has the type that this value has', (name, value, expected) =>
  expect(toTypedMeta(name, value)).toEqual({ name, ...expected }),
);
