import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCrawlUrl } from './crawl-url.js';
import { toLowerCase } from './non-ascii.js';
import { normalizeEscapes, toComparableUrl } from './url-form.js';

describe('percent-encoding', () => {
  it.each([
    ['/%7euser/%41%2d%5f%2E', '/~user/A-_.'],
    ['/%c3%a9%2f%3f', '/%C3%A9%2F%3F'],
    ['/%zz/%/%4', '/%zz/%/%4'],
    ['/%2541', '/%2541'],
    ['/%%36%31', '/%%361'],
    ['/%6%31', '/%6%31'],
  ])('%s is normalized to %s', (text, expected) => expect(normalizeEscapes(text)).toBe(expected));

  it('is stable once normalized, and means the same bytes', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'%%%0123456789abcdefABCDEF~/z'), maxLength: 16 });
    fc.assert(
      fc.property(texts, (text) => {
        const once = normalizeEscapes(text);
        expect(normalizeEscapes(once)).toBe(once);
        expect(bytes(once)).toBe(bytes(text));
      }),
      { numRuns: 5000 },
    );
  });

  const bytes = (text: string): string =>
    text
      .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(0x100 + Number.parseInt(digits, 16)))
      .replace(/[\u0100-\u01ff]/g, (char) => {
        const code = char.charCodeAt(0) - 0x100;
        return /[A-Za-z0-9\-._~]/.test(String.fromCharCode(code)) ? String.fromCharCode(code) : char;
      });
});

it.each([
  ['http://h2./x', 'http://h2/x'],
  ['http://h2.:8080/x?', 'http://h2:8080/x?'],
  ['http://h2../x', 'http://h2../x'],
  ['http://h2/%7ex', 'http://h2/~x'],
])('%s is compared as %s', (href, expected) => expect(toComparableUrl(toCrawlUrl(href))).toEqual(toCrawlUrl(expected)));

it.each([
  ['/A%C3%89%2F', '/a%C3%A9%2F'],
  ['/%C9t%E9', '/%C9t%E9'],
])('%s is %s in lower case', (text, expected) => expect(toLowerCase(text)).toBe(expected));
