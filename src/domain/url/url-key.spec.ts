import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeUrlKey } from './url-key.js';

const differentKeys = (count: number, url: (n: number) => string): number => {
  const keys = new BigInt64Array(count);
  for (let n = 0; n < count; n++) keys[n] = computeUrlKey(url(n));
  keys.sort();
  let different = count > 0 ? 1 : 0;
  for (let n = 1; n < count; n++) if (keys[n] !== keys[n - 1]) different++;
  return different;
};

const bits = (value: bigint): number => BigInt.asUintN(64, value).toString(2).replaceAll('0', '').length;

describe('the key of a URL', () => {
  it('differs among a million similar URLs', () => {
    const letter = (n: number) => String.fromCharCode(97 + (n % 26));
    const families: ((n: number) => string)[] = [
      (n) => `https://www.example.com/catalog/item?id=${n}`,
      (n) => `https://www.example.com/a/${n}/index.html`,
      (n) => `https://www.example.com/${letter(n)}${letter(n / 26)}/${Math.floor(n / 676)}`,
      (n) => `https://www${n}.example.com/`,
      (n) => `https://www.example.com/?a=${n % 1000}&b=${Math.floor(n / 1000)}`,
    ];
    expect(differentKeys(1_000_000, (n) => families[n % 5]!(Math.floor(n / 5)))).toBe(1_000_000);
  });

  it('differs among strings of one repeated character', () => {
    expect(differentKeys(4_000, (n) => 'a'.repeat(n))).toBe(4_000);
    expect(differentKeys(4_000, (n) => '\0'.repeat(n))).toBe(4_000);
  });

  it('is signed and fits 64 bits', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(BigInt.asIntN(64, computeUrlKey(text))).toBe(computeUrlKey(text));
      }),
    );
  });

  it('changes in half of its bits, on average, when one character changes', () => {
    let changed = 0;
    const base = 'https://www.example.com/some/page.html?x=1';
    for (let at = 0; at < base.length; at++) {
      for (let bit = 0; bit < 7; bit++) {
        const other = base.slice(0, at) + String.fromCharCode(base.charCodeAt(at) ^ (1 << bit)) + base.slice(at + 1);
        changed += bits(computeUrlKey(base) ^ computeUrlKey(other));
      }
    }
    const mean = changed / (base.length * 7);
    expect(mean).toBeGreaterThan(31);
    expect(mean).toBeLessThan(33);
  });

  it('never changes between versions: stored keys depend on it', () => {
    expect(computeUrlKey('')).toBe(-8462807580041271313n);
    expect(computeUrlKey('https://www.example.com/')).toBe(7141746708388103166n);
    expect(computeUrlKey('https://bücher.example/漢字')).toBe(6392051290577143350n);
  });
});
