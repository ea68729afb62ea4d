import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from './id-set.js';

const id = fc.oneof(fc.nat(50), fc.maxSafeNat());

describe('a set of row ids', () => {
  it('is a set of ids below and beyond 32 bits', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ id, added: fc.boolean() }), { maxLength: 200 }), (calls) => {
        const set = new IdSet();
        const expected = new Set<number>();
        for (const call of calls) {
          if (call.added) {
            set.add(call.id);
            expected.add(call.id);
          }
          for (const other of [call.id, call.id + 1, call.id + 2 ** 32])
            expect(set.has(other)).toBe(expected.has(other));
        }
      }),
    );
  });

  it('grows as it is filled', () => {
    const set = new IdSet();
    for (let n = 0; n < 5_000; n++) set.add((5_000 - n) * 1_024 + 7);
    expect([1, 2_500, 5_000].map((n) => set.has(n * 1_024 + 7))).toEqual([true, true, true]);
    expect(set.has(1_024)).toBe(false);
  });
});
