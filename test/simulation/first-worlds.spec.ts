import { describe, expect, it } from 'vitest';
import { runWorld } from './world.js';

const WORLDS = 120;
const PER_TEST = 20;

describe('in every simulated world the index equals the web in the end', () => {
  for (let first = 1; first <= WORLDS; first += PER_TEST) {
    it(`worlds ${first} to ${first + PER_TEST - 1}, with faults and crashes`, async () => {
      for (let seed = first; seed < first + PER_TEST; seed++) {
        const { violations } = await runWorld(seed);
        expect(violations, `seed ${seed}: npm run simulate -- --from ${seed} --seeds 1`).toEqual([]);
      }
    });
  }

  it('one number is one world: it replays exactly', async () => {
    expect(await runWorld(7)).toEqual(await runWorld(7));
  });
});
