/** The simulated web of `freshness.ts`: how often its pages change, after published measurements. */
import { days } from '../src/domain/time/units.js';

const DAY = days(1);

export type Random = () => number;

/** mulberry32 */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Distribution {
  readonly name: string;
  /** Mean days between two changes of a page. */
  meanDays(random: Random): number;
}

/** Share of pages by mean change interval, from 720,000 pages of 270 sites over four months; log-uniform within a class. */
export const CHO_GARCIA_MOLINA: Distribution = {
  name: 'Cho and Garcia-Molina, VLDB 2000 (measured classes)',
  meanDays(random) {
    const classes = [
      { upTo: 0.23, from: 1 / 24, to: 1 },
      { upTo: 0.38, from: 1, to: 7 },
      { upTo: 0.54, from: 7, to: 30 },
      { upTo: 0.7, from: 30, to: 120 },
      { upTo: 1, from: 120, to: 1200 },
    ];
    const draw = random();
    const found = classes.find(({ upTo }) => draw < upTo)!;
    return found.from * (found.to / found.from) ** random();
  },
};

/** Weibull fit of mean lifetimes, from two million pages over seven months. */
export const BREWINGTON_CYBENKO: Distribution = {
  name: 'Brewington and Cybenko, WWW 2000 (Weibull 1.4, 152.2 days)',
  meanDays: (random) => 152.2 * (-Math.log(1 - random())) ** (1 / 1.4),
};

export interface Page {
  /** Changes per millisecond. */
  readonly rate: number;
  /** The server tells Last-Modified, and truly. */
  readonly dated: boolean;
}

export function makeWeb(distribution: Distribution, size: number, datedShare: number, seed = 0): readonly Page[] {
  const random = seeded(20_001 + seed);
  return Array.from({ length: size }, () => ({
    rate: 1 / (distribution.meanDays(random) * DAY),
    dated: random() < datedShare,
  }));
}
