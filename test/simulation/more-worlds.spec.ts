import { describe, expect, it } from 'vitest';
import { runWorld } from './world.js';

const FIRST = 121;
const LAST = 240;
const PER_TEST = 20;

describe('in every simulated world the index equals the web in the end', () => {
  for (let first = FIRST; first <= LAST; first += PER_TEST) {
    it(`worlds ${first} to ${first + PER_TEST - 1}, with faults and crashes`, async () => {
      for (let seed = first; seed < first + PER_TEST; seed++) {
        const { violations } = await runWorld(seed);
        expect(violations, `seed ${seed}: npm run simulate -- --from ${seed} --seeds 1`).toEqual([]);
      }
    });
  }
});
