import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWildcardMatcher, listRequiredTexts } from './wildcard.js';

const texts = fc.array(fc.constantFrom('a', 'b', '?'), { maxLength: 10 }).map((chars) => chars.join(''));
const patterns = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 }).map((chars) => chars.join(''));

test('matches exactly what the equivalent regular expression matches', () => {
  fc.assert(
    fc.property(patterns, texts, fc.boolean(), (pattern, text, question) => {
      const regex = new RegExp(`^${pattern.replaceAll('?', question ? '.' : '\\?').replaceAll('*', '.*')}$`);
      expect(createWildcardMatcher(pattern, question ? 'star-question' : 'star')(text)).toBe(regex.test(text));
    }),
    { numRuns: 2000 },
  );
});

test('runs in linear time for patterns that make others backtrack', () => {
  const matches = createWildcardMatcher(`${'a*'.repeat(500)}b`, 'star');
  expect(matches('a'.repeat(2000))).toBe(false);
});

test('every match contains the pieces between the wildcards', () => {
  expect(listRequiredTexts('http://*/cgi-?/*', 'star-question')).toEqual([['http://'], ['/cgi-'], ['/']]);
  expect(listRequiredTexts('a?b*', 'star')).toEqual([['a?b']]);
});
