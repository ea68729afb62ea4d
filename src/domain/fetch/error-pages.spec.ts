import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorPageOf, impossibleUrl, isErrorPage, type PageFingerprint } from './error-pages.js';

const simhashes = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bitLists = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { maxLength: 20 });
const flip = (simhash: bigint, bits: readonly number[]) =>
  BigInt.asIntN(
    64,
    bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), simhash),
  );
const probe: PageFingerprint = { simhash: 0x0123456789abcdefn, title: 'Oops', length: 1_000 };

describe('error pages found by probing', () => {
  it('are known again when they repeat the address that was asked for', () => {
    expect(isErrorPage({ ...probe, simhash: flip(probe.simhash, [1, 20, 33, 40, 63]), length: 1_080 }, probe)).toBe(
      true,
    );
    expect(isErrorPage({ ...probe, title: 'Oops: /a/b', simhash: flip(probe.simhash, [5]) }, probe)).toBe(true);
  });

  it('are told from pages that share only the title, only the length, or a text a little alike', () => {
    const other = flip(
      probe.simhash,
      Array.from({ length: 32 }, (_, i) => 2 * i),
    );
    expect(isErrorPage({ ...probe, simhash: other }, probe)).toBe(false);
    expect(isErrorPage({ ...probe, length: 2_000 }, probe)).toBe(false);
    expect(isErrorPage({ ...probe, title: 'Product 7', simhash: flip(probe.simhash, [1, 2, 3, 4]) }, probe)).toBe(
      false,
    );
    expect(
      isErrorPage({ ...probe, title: '', simhash: flip(probe.simhash, [1, 2, 3, 4]) }, { ...probe, title: '' }),
    ).toBe(false);
  });

  it('do not exist on a host that answers everything with one page', () => {
    expect(errorPageOf(probe, { ...probe, simhash: flip(probe.simhash, [9]) })).toBeUndefined();
    expect(errorPageOf(probe, { simhash: ~probe.simhash, title: 'Home', length: 9_000 })).toBe(probe);
  });

  it('differ by bits alone when title and length agree', () => {
    fc.assert(
      fc.property(simhashes, bitLists, (simhash, bits) => {
        const page = { ...probe, simhash: flip(simhash, bits) };
        expect(isErrorPage(page, { ...probe, simhash })).toBe(bits.length <= 12);
        expect(isErrorPage({ ...page, title: 'Other' }, { ...probe, simhash })).toBe(bits.length <= 3);
      }),
    );
  });

  it.each([
    ['https://a.example/', 'https://a.example/k7x.html'],
    ['https://a.example/docs/page.html?x=/y/z', 'https://a.example/docs/k7x.html'],
    ['https://a.example/docs/', 'https://a.example/docs/k7x.html'],
  ])('are asked for beside %s', (url, expected) => expect(impossibleUrl(url, 'k7x')).toBe(expected));
});
