import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlPattern } from './url-pattern.js';

describe('the pattern of a URL', () => {
  it.each([
    ['https://a.example/docs/in/words', undefined],
    ['https://a.example/', undefined],
    ['https://a.example/2031/05/', '/N/N/'],
    ['https://a.example/calendar/2031-05-01.html', '/calendar/N-N-N.html'],
    ['https://a.example/calendar/2031/May', '/calendar/N/M'],
    ['https://a.example/article/12345-a-title-of-words', '/article/N-a-title-of-words'],
    ['https://a.example/p12/maybe', '/pN/maybe'],
    ['https://a.example/s/8f3acc01/cart', '/s/H/cart'],
    ['https://a.example/d/123e4567-e89b-12d3-a456-426614174000', '/d/H'],
    ['https://a.example/v/dQw4w9WgXcQdQw4w9', '/v/H'],
    ['https://a.example/n/12345678901234567890', '/n/N'],
    ['https://a.example/list?page=7', '/list?page'],
    ['https://a.example/list?sort=up&page=7', '/list?page&sort'],
    ['https://a.example/list?color=red&size=L&brand=x', '/list?*'],
    ['https://a.example/list?f[12]=1&f[13]=2&f[14]=3', '/list?f[N]'],
    ['https://a.example/list?', '/list?'],
  ])('of %s is %s', (url, pattern) => {
    expect(urlPattern(url)).toBe(pattern);
  });

  it('does not depend on numbers, whatever is around them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '/', '-', '1', 'F', '.', ';', 'fc.property(fc.webPath(), ', '=') }),
        fc.nat(999),
        fc.nat(999),
        (path, a, b) => {
          const url = (n: number): string => `https://a.example/${path}/x${n}?${path}${n}`;
          expect(urlPattern(url(a))).toBe(urlPattern(url(b)));
        },
      ),
    );
  });
});
