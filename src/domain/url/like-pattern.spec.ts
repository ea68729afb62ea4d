import { expect, test } from 'vitest';
import { findLikeHint, toLikePattern, toLikePrefix } from './like-pattern.js';

test.each([
  ['http://www/%', 'http://www/%'],
  ['http://www/*', 'http://www/%'],
  ['*/my_page.html', '%/my\\_page.html'],
  ['%/a*b', '%/a*b'],
  ['http://a/_', 'http://a/_'],
])('%s is the LIKE pattern %s', (written, like) => {
  expect(toLikePattern(written)).toBe(like);
});

test('the pattern of a prefix takes every character as written', () => {
  expect(toLikePrefix('http://a/my_page%20x\\y')).toBe('http://a/my\\_page\\%20x\\\\y%');
});

test.each([
  ['git*', 'write *git*'],
  ['help/%', 'write %help/%'],
  ['www.example.com/%', 'write %www.example.com/%'],
  ['http://a/b', 'It has no wildcard'],
])('%s matches nothing and gets a hint at what was meant', (written, hint) => {
  expect(findLikeHint(written)).toContain(hint);
});

test('a sensible pattern gets no hint', () => {
  for (const written of ['http://a/%', '%.pdf', '*.pdf', 'http://a/_']) expect(findLikeHint(written)).toBeUndefined();
});
