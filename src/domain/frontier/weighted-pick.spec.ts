import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_WEIGHTS, SOURCES } from './sources.js';
import { WeightedPick } from './weighted-pick.js';

const defaults = SOURCES.map((name) => DEFAULT_WEIGHTS[name]);
const always = () => true;
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

/** picks[i] is the source of pick i; returns the largest |count - weight| over all windows of the given length. */
function worstWindow(picks: readonly number[], weights: readonly number[], length: number): number {
  let worst = 0;
  for (let source = 0; source < weights.length; source++) {
    const before = new Int32Array(picks.length + 1);
    for (let i = 0; i < picks.length; i++) before[i + 1] = before[i]! + (picks[i] === source ? 1 : 0);
    for (let start = 0; start + length <= picks.length; start++) {
      worst = Math.max(worst, Math.abs(before[start + length]! - before[start]! - weights[source]!));
    }
  }
  return worst;
}

const take = (pick: WeightedPick, count: number, ready: (source: number) => boolean = always) =>
  Array.from({ length: count }, () => pick.pick(ready)!);

const weightLists = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });

describe('picking sources by weight', () => {
  it('gives each of the six sources its weight in every window of 13,111 picks', () => {
    expect(sum(defaults)).toBe(13_111);
    const picks = take(new WeightedPick(defaults), 3 * 13_111);
    expect(worstWindow(picks, defaults, 13_111)).toBe(0);
  });

  it('spreads the picks of a source instead of taking them in a row', () => {
    expect(take(new WeightedPick([5, 1, 1]), 7)).toEqual([0, 0, 1, 0, 2, 0, 0]);
  });

  it('picks nothing when no source is ready, and the only ready source otherwise', () => {
    const pick = new WeightedPick(defaults);
    expect(pick.pick(() => false)).toBeUndefined();
    expect(new WeightedPick([]).pick(always)).toBeUndefined();
    expect(take(pick, 100, (source) => source === 5)).toEqual(Array(100).fill(5));
  });

  it('neither compensates nor penalizes a source that was not ready', () => {
    const pick = new WeightedPick(defaults);
    take(pick, 50_000, (source) => source !== 0);
    const picks = take(pick, 13_111);
    expect(worstWindow(picks, defaults, 13_111)).toBeLessThanOrEqual(1);
    expect(new Set(picks.slice(0, 100)).size).toBeGreaterThan(1);
  });

  it('keeps the shares of the ready sources while others are not ready', () => {
    const picks = take(new WeightedPick(defaults), 3 * 2_010, (source) => [1, 4].includes(source));
    expect(worstWindow(picks, [0, 2_000, 0, 0, 10, 0], 2_010)).toBe(0);
  });

  it('waits for a source whose URLs are being read, once it has its turn, and keeps the order', () => {
    const [pick, undisturbed] = [new WeightedPick(defaults), new WeightedPick(defaults)];
    const isReady = (source: number) => source !== 1;
    const picks: number[] = [];
    for (let i = 0; i < 200; i++) {
      const first = pick.pick(isReady, (source) => source === 1);
      picks.push(first ?? pick.pick(always)!);
    }
    expect(picks).toEqual(take(undisturbed, 200));
    expect(picks.filter((source) => source === 1).length).toBeGreaterThan(20);
  });

  it('starts afresh with new weights', () => {
    const pick = new WeightedPick([1, 1]);
    pick.pick(always);
    pick.setWeights([1, 3, 1]);
    expect(worstWindow(take(pick, 15), [1, 3, 1], 5)).toBe(0);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s as a weight', (weight) => {
    expect(() => new WeightedPick([1, weight])).toThrow(/positive integer/);
  });

  it('stays within one pick of the weights in every window of a period, whatever was ready before', () => {
    fc.assert(
      fc.property(weightLists, fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 200 }), (weights, masks) => {
        const pick = new WeightedPick(weights);
        for (const mask of masks) pick.pick((source) => (mask & (1 << source)) !== 0);
        const period = sum(weights);
        expect(worstWindow(take(pick, 3 * period), weights, period)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('picks only ready sources and never leaves a ready one waiting for long', () => {
    fc.assert(
      fc.property(weightLists, fc.infiniteStream(fc.integer({ min: 0, max: 63 })), (weights, masks) => {
        const pick = new WeightedPick(weights);
        const passedOver = weights.map(() => 0);
        for (let i = 0; i < 300; i++) {
          const mask = masks.next().value as number;
          const ready = (source: number) => (mask & (1 << source)) !== 0;
          const picked = pick.pick(ready);
          expect(picked !== undefined).toBe(weights.some((_, source) => ready(source)));
          for (let source = 0; source < weights.length; source++) {
            if (source === picked) passedOver[source] = 0;
            else if (ready(source)) passedOver[source]!++;
          }
          if (picked !== undefined) expect(ready(picked)).toBe(true);
          for (const [source, waits] of passedOver.entries()) {
            expect(waits).toBeLessThanOrEqual((3 * sum(weights)) / weights[source]!);
          }
        }
      }),
    );
  });
});
