import { expect, it } from 'vitest';
import { toCsvLine } from './csv.js';

it.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff20x'])(
  'a text that a spreadsheet would take for a formula gets an apostrophe in front: %j',
  (text) => {
    const line = toCsvLine({ a: text, b: 'x', c: -1 }, ['a', 'b', 'c']);
    expect(line.replace(/^"/, '')).toMatch(/^'/);
    expect(line).toMatch(/,x,-1\r\n$/);
  },
);

it('a text with a comma, a quote or a line break is quoted', () => {
  expect(toCsvLine({ a: 'x, "y"\nz' }, ['a'])).toBe('"x, ""y""\nz"\r\n');
});
