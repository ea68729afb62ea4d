import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Duration, days, hours, milliseconds, minutes } from '../time/units.js';
import {
  type ChangeBelief,
  computeExpectedValue,
  computeQuantile,
  type Observation,
  UNKNOWN_BELIEF,
  updateBelief,
} from './change-belief.js';

/** The belief after visits with these observations. */
const believed = (sights: readonly Observation[]): ChangeBelief => sights.reduce(updateBelief, UNKNOWN_BELIEF);
const sight = (elapsed: Duration, changed: boolean): Observation => ({ elapsed, changed });
const first = (age?: Duration): ChangeBelief => updateBelief(UNKNOWN_BELIEF, { changed: true, age });

const sights = fc.record({
  elapsed: fc.option(fc.integer({ min: -days(1), max: days(5000) }).map(milliseconds), { nil: undefined }),
  changed: fc.boolean(),
  age: fc.option(fc.integer({ min: -days(10), max: days(20_000) }).map(milliseconds), { nil: undefined }),
});

describe('the change belief of a page', () => {
  it('stays a finite interval and variance, whatever visits observed', () => {
    fc.assert(
      fc.property(fc.array(sights, { maxLength: 60 }), (seen) => {
        const { interval, uncertainty } = believed(seen);
        expect(interval).toBeGreaterThanOrEqual(minutes(6));
        expect(interval).toBeLessThanOrEqual(days(7_300));
        expect(uncertainty).toBeGreaterThanOrEqual(0.05);
        expect(uncertainty).toBeLessThan(10);
      }),
    );
  });

  it('converges to the true interval, whether visits are evenly spaced or not', () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    for (const distance of [() => days(4), () => milliseconds(days(1) + random() * days(9))]) {
      let belief = UNKNOWN_BELIEF;
      const found: number[] = [];
      for (let i = 0; i < 2_000; i++) {
        const elapsed = distance();
        belief = updateBelief(belief, sight(elapsed, random() < 1 - Math.exp(-elapsed / days(5))));
        if (i > 100) found.push(Math.log(belief.interval / days(5)));
      }
      expect(Math.abs(found.reduce((sum, log) => sum + log) / found.length)).toBeLessThan(0.1);
    }
  });

  it('gets shorter after a change and longer after an unchanged visit', () => {
    expect(updateBelief(UNKNOWN_BELIEF, sight(days(3), true)).interval).toBeLessThan(UNKNOWN_BELIEF.interval);
    expect(updateBelief(UNKNOWN_BELIEF, sight(days(3), false)).interval).toBeGreaterThan(UNKNOWN_BELIEF.interval);
  });

  it('learns from short intervals about pages that change at every visit', () => {
    const often = Array.from({ length: 10 }, () => sight(days(30), true));
    const close = [...often, sight(days(1), true), sight(days(1), true)];
    expect(believed(close).interval).toBeLessThan(believed([...often, sight(days(30), true)]).interval / 1.5);
  });

  it('notices within a few visits that an active page has calmed down', () => {
    const lively = Array.from({ length: 200 }, () => sight(hours(6), true));
    expect(believed(lively).interval).toBeLessThan(hours(6));
    const calm = Array.from({ length: 20 }, () => sight(days(10), false));
    expect(believed([...lively, ...calm]).interval).toBeGreaterThan(days(5));
  });

  it('starts from the age of the document when Last-Modified states it', () => {
    const intervals = [1, 10, 100, 1000, 5000].map((age) => first(days(age)).interval);
    expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
    expect(intervals[0]).toBeLessThan(days(15));
    expect(intervals[4]).toBeGreaterThan(days(300));
  });

  it('expects a longer interval when the first response states a freshness lifetime', () => {
    const promised = (lifetime: Duration) => updateBelief(UNKNOWN_BELIEF, { changed: true, lifetime }).interval;
    expect(promised(days(365))).toBeGreaterThan(promised(days(7)));
    expect(promised(days(7))).toBeGreaterThan(UNKNOWN_BELIEF.interval);
    expect(promised(days(3_650))).toBeLessThan(days(3_650));
    expect(updateBelief(UNKNOWN_BELIEF, { changed: true, lifetime: days(0) })).toBe(UNKNOWN_BELIEF);
    expect(updateBelief(UNKNOWN_BELIEF, { elapsed: days(3), changed: true, lifetime: days(365) })).toEqual(
      updateBelief(UNKNOWN_BELIEF, sight(days(3), true)),
    );
  });

  it('ignores a Last-Modified that is the time of the response or later', () => {
    expect(first(minutes(4))).toBe(UNKNOWN_BELIEF);
    expect(first(hours(-5))).toBe(UNKNOWN_BELIEF);
    expect(updateBelief(UNKNOWN_BELIEF, { elapsed: days(3), changed: true, age: minutes(4) })).toEqual(
      updateBelief(UNKNOWN_BELIEF, sight(days(3), true)),
    );
  });

  it('believes its own visits rather than a Last-Modified that contradicts them', () => {
    expect(updateBelief(UNKNOWN_BELIEF, { elapsed: days(3), changed: true, age: days(3_000) })).toEqual(
      updateBelief(UNKNOWN_BELIEF, sight(days(3), true)),
    );
  });

  it('learns more from a dated change than from one at a time unknown', () => {
    const dated = updateBelief(UNKNOWN_BELIEF, { elapsed: days(30), changed: true, age: days(1) });
    expect(dated.uncertainty).toBeLessThan(updateBelief(UNKNOWN_BELIEF, sight(days(30), true)).uncertainty);
  });

  it('returns the likely rates and their mean', () => {
    const belief = { interval: days(10), uncertainty: 1 };
    expect(computeExpectedValue(belief, () => 1)).toBeCloseTo(1, 9);
    expect(computeExpectedValue(belief, (rate) => Math.log(rate * days(10)))).toBeCloseTo(0, 9);
    expect(computeQuantile(belief, 0.5)).toBeCloseTo(days(10), 0);
    expect(computeQuantile(belief, 0.84) / days(10)).toBeCloseTo(Math.exp(-1), 1);
    expect(computeQuantile(belief, 0)).toBeLessThan(days(300));
  });
});

describe('the belief after a visit is that of Bayes', () => {
  /** Prior times likelihood over a fine grid of rates, instead of a few points. */
  function byBayes({ interval, uncertainty }: ChangeBelief, likelihood: (rate: number) => number): ChangeBelief {
    const deviation = Math.sqrt(uncertainty);
    let [total, sum, squares] = [0, 0, 0];
    for (let z = -6; z <= 6; z += 0.01) {
      const weight = Math.exp((-z * z) / 2) * likelihood(Math.exp(z * deviation) / interval);
      total += weight;
      sum += weight * z;
      squares += weight * z * z;
    }
    const shift = sum / total;
    return {
      interval: milliseconds(interval * Math.exp(-shift * deviation)),
      uncertainty: (squares / total - shift * shift) * uncertainty,
    };
  }

  const belief = { interval: days(10), uncertainty: 1 };
  const [elapsed, age, lifetime] = [days(4), days(1), days(6)];
  it.each<[string, Observation, (rate: number) => number]>([
    ['changed', { elapsed, changed: true }, (rate) => 1 - Math.exp(-rate * elapsed)],
    ['unchanged', { elapsed, changed: false }, (rate) => Math.exp(-rate * elapsed)],
    ['changed at a known time', { elapsed, changed: true, age }, (rate) => rate * Math.exp(-rate * age)],
    ['of a first visit, with its date', { changed: true, age }, (rate) => rate * Math.exp(-rate * age)],
    ['of a first visit, with a lifetime', { changed: true, lifetime }, (rate) => Math.exp((-rate * lifetime) / 2)],
    ['of a later visit, with a lifetime', { elapsed, changed: false, lifetime }, (rate) => Math.exp(-rate * elapsed)],
    ['with both', { changed: true, age, lifetime }, (rate) => rate * Math.exp(-rate * age - (rate * lifetime) / 2)],
  ])('%s', (_, observation, likelihood) => {
    const [updated, expected] = [updateBelief(belief, observation), byBayes(belief, likelihood)];
    expect(updated.interval / expected.interval).toBeCloseTo(1, 1);
    expect(updated.uncertainty / expected.uncertainty).toBeCloseTo(1, 1);
    expect(updated).not.toEqual(belief);
  });

  it.each<[string, Observation, Observation | undefined]>([
    ['a first visit says nothing', { changed: true }, undefined],
    ['no time has passed', { elapsed: milliseconds(0), changed: true }, undefined],
    ['the date is that of the response', { elapsed, changed: true, age: minutes(5) }, { elapsed, changed: true }],
    ['the date is older than the last visit', { elapsed, changed: true, age: elapsed }, { elapsed, changed: true }],
    ['the page has not changed', { elapsed, changed: false, age }, { elapsed, changed: false }],
    ['the lifetime is zero', { changed: true, lifetime: milliseconds(0) }, undefined],
  ])('%s', (_, observation, same) => {
    expect(updateBelief(belief, observation)).toEqual(same ? updateBelief(belief, same) : belief);
  });

  it('a date counts if it is more than five minutes old', () => {
    const dated = { elapsed, changed: true, age: milliseconds(minutes(5) + 1) };
    expect(updateBelief(belief, dated).interval).toBeLessThan(
      updateBelief(belief, { elapsed, changed: true }).interval,
    );
  });

  it('is within its limits: from six minutes to twenty years, never more certain than 0.05', () => {
    const often = { elapsed: minutes(1), changed: true };
    let known: ChangeBelief = belief;
    for (let i = 0; i < 200; i++) known = updateBelief(known, often);
    expect(known).toEqual({ interval: minutes(6), uncertainty: 0.05 });
    for (let i = 0; i < 2_000; i++) known = updateBelief(known, { elapsed: days(5_000), changed: false });
    expect(known).toEqual({ interval: days(7_300), uncertainty: 0.05 });
  });

  it('has quantiles of a log-normal distribution, to a few percent', () => {
    const ratio = (share: number) => Math.log(computeQuantile(belief, share) / belief.interval);
    expect(ratio(0.5)).toBeCloseTo(0);
    expect(ratio(0.841)).toBeCloseTo(-1, 1);
    expect(ratio(0.159)).toBeCloseTo(1, 1);
    const unsure = { ...belief, uncertainty: 4 * belief.uncertainty };
    expect(Math.log(computeQuantile(unsure, 0.841) / belief.interval)).toBeCloseTo(2 * ratio(0.841), 1);
    expect(computeQuantile(belief, 0)).toBe(computeQuantile(belief, 0.01));
    expect(computeQuantile(belief, 1)).toBe(computeQuantile(belief, 0.99));
    expect(computeQuantile(belief, 0.02)).toBeLessThan(computeQuantile(belief, 0.01));
  });
});
