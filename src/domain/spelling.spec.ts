import fc from 'fast-check';
import { expect, it } from 'vitest';
import { computeEditDistance, findLikelySpelling, suggestSpelling } from './spelling.js';

it.each([
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['host', 'hsot', 1],
  ['ab', 'ba', 1],
  ['abcd', 'acbd', 1],
  ['ca', 'abc', 3],
  ['Length', 'length', 1],
])('%j and %j are %d edits apart', (a, b, distance) => {
  expect(computeEditDistance(a, b)).toBe(distance);
});

it('the distance is the same in both directions, and no more than the longer word', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = computeEditDistance(a, b);
      expect(distance).toBe(computeEditDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
    }),
  );
});

it('the nearest name was meant, of several the first, and none that differs in more than a third', () => {
  const names = ['Suffix', 'Prefix', 'Length', 'Or', 'Of'];
  expect(findLikelySpelling('prefx', names)).toBe('Prefix');
  expect(findLikelySpelling('ox', names)).toBe('Or');
  expect(findLikelySpelling('Lenghts', names)).toBe('Length');
  expect(findLikelySpelling('Lxxxth', names)).toBeUndefined();
  expect(findLikelySpelling('Pxffix', ['Suffix', 'Prefix'])).toBe('Suffix');
  expect(findLikelySpelling('a'.repeat(65), ['a'.repeat(64)])).toBeUndefined();
  expect(findLikelySpelling('a'.repeat(64), ['a'.repeat(65)])).toBe('a'.repeat(65));
  expect(suggestSpelling('Lenght', names)).toBe(': did you mean Length?');
  expect(suggestSpelling('unrelated', names)).toBe('');
});
