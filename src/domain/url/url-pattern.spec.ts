import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGrowingPattern, toUrlPattern } from './url-pattern.js';

describe('the pattern of a URL', () => {
  it.each([
    ['https://a.example/', undefined],
    ['https://a1.example/docs/in/words', undefined],
    ['https://a.example/2031/05/', '/N/'],
    ['https://a.example/2031/05/01/', '/N/'],
    ['https://a.example/calendar/2031/May', '/calendar/N'],
    ['https://a.example/calendar/2031-05-01.html', '/calendar/N.html'],
    ['https://a.example/article/12345-a-title-of-words', '/article/N-a-title-of-words'],
    ['https://a.example/article/12345--6', '/article/N--N'],
    ['https://a.example/p12/maybe', '/N/maybe'],
    ['https://a.example/s/8f3acc/cart', '/s/N/cart'],
    ['https://a.example/d/abcdefab-e89b-abcd-abcd-abcdefabcdef/x', '/d/N/x'],
    ['https://a.example/list?page=7', '/list?'],
    ['https://a.example/list?color=red&size=L&brand=x', '/list?'],
    ['https://a.example/7?', '/N?'],
    ['https://a.example/', undefined],
    ['https://a.example/?', '/?'],
    ['https://a.example/aZz9/x', '/N/x'],
    ['https://a.example/0/9/a', '/N/a'],
    ['https://a.example/Z/z/A/7', '/Z/z/A/N'],
    ['https://a.example/x[7]{8}', '/x[N]{N}'],
    ['https://a.example/x:7/8', '/x:N'],
    ['https://a.example/may/x7', '/N'],
    ['https://a.example/ma/x/7', '/ma/x/N'],
    ['https://a.example/september/x/7', '/N/x/N'],
    ['https://a.example/sep/sept/jan/july/x7', '/N'],
    ['https://a.example/marching/dismay/7', '/marching/dismay/N'],
    ['https://a.example/é7/x', '/éN/x'],
    ['https://a.example/d/abcdefab-e89b-abcd-abcd-abcdefabcdefx/x1', '/d/N'],
  ])('of %s is %s', (url, pattern) => {
    expect(toUrlPattern(url)).toBe(pattern);
  });

  it('does not depend on numbers, whatever surrounds them', () => {
    const signs = fc.string({ unit: fc.constantFrom('a', '/', '-', '1', 'F', '.', ';', '&', '=') });
    fc.assert(
      fc.property(signs, signs, fc.nat(999), fc.nat(999), (before, after, a, b) => {
        const url = (n: number): string => `https://a.example/${before}x${n}${after}`;
        expect(toUrlPattern(url(a))).toBe(toUrlPattern(url(b)));
      }),
    );
  });
});

it.each([
  ['https://a.example/team/jobs/team/', '/…/x/…/x'],
  ['https://a.example/jobs/press/jobs', '/…/x/…/x'],
  ['https://a.example/team/team', '/…/x/…/x'],
  ['https://a.example/team/jobs/', undefined],
  ['https://a.example/a.example/', undefined],
  ['https://a.example//', undefined],
  ['https://a.example/', undefined],
  ['https://a.example/team/7/team/', '/team/N/team/'],
  ['https://a.example/shop/red+wool', '/shop/N'],
  ['https://a.example/shop/wool%2Cred%2Clarge/page', '/shop/N/page'],
  ['https://a.example/shop/red?a=b,c', '/shop/red?'],
  ['https://a.example/shop/red-wool', undefined],
])('the pattern by which %s may have any number of others is %s', (url, pattern) => {
  expect(toGrowingPattern(url)).toBe(pattern);
});
