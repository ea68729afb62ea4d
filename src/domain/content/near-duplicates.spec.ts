import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NearDuplicates } from './near-duplicates.js';

const simhashes = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const flip = (simhash: bigint, bits: readonly number[]) =>
  BigInt.asIntN(
    64,
    bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), simhash),
  );
const bitLists = (maxLength: number) => fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { maxLength });

const any = (): boolean => true;

function distance(a: bigint, b: bigint): number {
  return BigInt.asUintN(64, a ^ b)
    .toString(2)
    .replaceAll('0', '').length;
}

describe('near duplicates', () => {
  it('are found when up to three bits differ, wherever they are', () => {
    fc.assert(
      fc.property(simhashes, bitLists(8), (simhash, bits) => {
        const index = new NearDuplicates(10);
        index.add(7, simhash);
        expect(index.findNearest(flip(simhash, bits))).toBe(bits.length <= 3 ? 7 : undefined);
      }),
    );
  });

  it('are found within a smaller distance if asked', () => {
    const index = new NearDuplicates(10);
    index.add(1, 0n);
    expect(index.findNearest(3n, any, 1)).toBeUndefined();
    expect(index.findNearest(1n, any, 1)).toBe(1);
    expect(index.findNearest(1n, any, 0)).toBeUndefined();
    expect(index.findNearest(0n, any, 0)).toBe(1);
  });

  it('return the nearest page', () => {
    const index = new NearDuplicates(10);
    index.add(1, 0b111n);
    index.add(2, 0b1n);
    index.add(3, 0b11n);
    expect(index.findNearest(0n)).toBe(2);
  });

  it('return the nearest page that the filter accepts, so that a page does not find itself', () => {
    const index = new NearDuplicates(10);
    index.add(1, 0b1n);
    index.add(2, 0n);
    expect(index.findNearest(0n, (key) => key !== 2)).toBe(1);
    expect(index.findNearest(0n, (key) => key < 1)).toBeUndefined();
  });

  it('are still found when an older page with the same text is removed', () => {
    const index = new NearDuplicates(10);
    for (const key of [1, 2, 3]) index.add(key, 5n);
    index.remove(2);
    expect(index.findNearest(5n, (key) => key !== 3)).toBe(1);
    index.remove(1);
    expect(index.findNearest(5n)).toBe(3);
    expect(index.findNearest(5n, (key) => key !== 3)).toBeUndefined();
  });

  it('treat the sign bit like any other bit', () => {
    const index = new NearDuplicates(10);
    index.add(1, -1n);
    expect(index.findNearest(2n ** 64n - 1n)).toBe(1);
    expect(index.findNearest(2n ** 63n - 1n)).toBe(1);
  });

  it('support keys up to the largest safe integer', () => {
    const index = new NearDuplicates(2);
    index.add(Number.MAX_SAFE_INTEGER, 5n);
    expect(index.findNearest(5n)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('are found among very many pages whose hashes share a part', () => {
    const index = new NearDuplicates(20_000);
    for (let n = 0; n < 20_000; n++) index.add(n, BigInt(n) << 32n);
    expect(index.size).toBe(20_000);
    expect(index.findNearest(19_999n << 32n)).toBe(19_999);
  });

  it('behave like a plain list of the newest entries under any sequence of calls', () => {
    const base = fc.constantFrom(0n, -1n, 0x0123456789abcdefn);
    const hash = fc.tuple(base, fc.oneof(fc.constant([]), bitLists(5))).map(([simhash, bits]) => flip(simhash, bits));
    const calls = fc.array(
      fc.oneof(
        fc.record({ call: fc.constant('add' as const), key: fc.nat(12), hash }),
        fc.record({ call: fc.constant('remove' as const), key: fc.nat(12), hash }),
        fc.record({ call: fc.constant('find' as const), key: fc.nat(3), hash }),
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 8 }), (steps, capacity) => {
        const index = new NearDuplicates(capacity);
        // When an entry is removed, its position in the ring remains as a hole.
        let model: { key: number; hash: bigint }[] = [];
        for (const { call, key, hash: simhash } of steps) {
          const hole = (entry: { key: number; hash: bigint }) => (entry.key === key ? { key: -1, hash: 0n } : entry);
          if (call === 'remove') index.remove(key);
          if (call === 'add') index.add(key, simhash);
          if (call === 'remove') model = model.map(hole);
          else if (call === 'add') model = [...model.map(hole), { key, hash: simhash }].slice(-capacity);
          else {
            const near = model.filter((entry) => entry.key >= 0 && distance(entry.hash, simhash) <= key);
            const nearest = Math.min(...near.map((entry) => distance(entry.hash, simhash)));
            const found = index.findNearest(simhash, any, key);
            const allowed = near.filter((entry) => distance(entry.hash, simhash) === nearest).map((entry) => entry.key);
            if (found === undefined) expect(allowed).toEqual([]);
            else expect(allowed).toContain(found);
          }
          expect(index.size).toBe(model.filter((entry) => entry.key >= 0).length);
        }
      }),
      { numRuns: 100 },
    );
  });
});
