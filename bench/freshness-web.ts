/** The simulated web of `freshness.ts`: its pages change as often as in published measurements. */
import { days } from '../src/domain/time/units.js';

const DAY = days(1);

export type Random = () => number;

/** Creates the pseudo-random number generator mulberry32. */
export function createRandom(seed: number): Random {
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
  drawMeanDays(random: Random): number;
}

/**
 * Shares of pages by mean change interval, from 720,000 pages of 270 sites over four months; log-uniform in each class.
 */
export const CHO_GARCIA_MOLINA: Distribution = {
  name: 'Cho and Garcia-Molina, VLDB 2000 (measured classes)',
  drawMeanDays(random) {
    const classes = [
      { upTo: 0.23, from: 1 / 24, to: 1 },
      { upTo: 0.38, from: 1, to: 7 },
      { upTo: 0.54, from: 7, to: 30 },
      { upTo: 0.7, from: 30, to: 120 },
      { upTo: 1, from: 120, to: 1200 },
    ];
    const draw = random();
    const drawnClass = classes.find(({ upTo }) => draw < upTo)!;
    return drawnClass.from * (drawnClass.to / drawnClass.from) ** random();
  },
};

/** Weibull fit of mean lifetimes, from two million pages over seven months. */
export const BREWINGTON_CYBENKO: Distribution = {
  name: 'Brewington and Cybenko, WWW 2000 (Weibull 1.4, 152.2 days)',
  drawMeanDays: (random) => 152.2 * (-Math.log(1 - random())) ** (1 / 1.4),
};

export interface Page {
  /** Changes per millisecond. */
  readonly rate: number;
  /** Whether the server sends a correct Last-Modified. */
  readonly dated: boolean;
}

export function makeWeb(distribution: Distribution, size: number, datedShare: number, seed = 0): readonly Page[] {
  const random = createRandom(20_001 + seed);
  return Array.from({ length: size }, () => ({
    rate: 1 / (distribution.drawMeanDays(random) * DAY),
    dated: random() < datedShare,
  }));
}
