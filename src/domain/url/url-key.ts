/**
 * The 64-bit key under which a URL is stored: two 32-bit multiply-xor lanes over the UTF-16 code units, finished as in
 * MurmurHash3. It is signed, as SQLite and PostgreSQL integers are. With 10 million URLs on one host, the chance that
 * any two share a key is 3 in a million.
 */
export function computeUrlKey(href: string): bigint {
  let h1 = 0x9e3779b9;
  let h2 = 0x85ebca6b;
  for (let i = 0; i < href.length; i++) {
    const c = href.charCodeAt(i);
    h1 = Math.imul(h1 ^ c, 0x5bd1e995);
    h1 ^= h1 >>> 15;
    h2 = Math.imul(h2 ^ c, 0xc2b2ae35);
    h2 = (h2 << 13) | (h2 >>> 19);
  }
  const high = finalizeHash(h1 ^ Math.imul(h2, 0x27d4eb2f) ^ href.length);
  const low = finalizeHash(h2 ^ Math.imul(high, 0x165667b1));
  return (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
}

function finalizeHash(h: number): number {
  let x = h ^ (h >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return x ^ (x >>> 16);
}
