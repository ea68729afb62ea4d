/**
 * The simulation of `freshness.ts`: refresh policies, the optimum with known rates, and how fresh a simulated web of
 * pages is kept by visits at an even pace.
 */
import { TimeHeap } from '../src/domain/frontier/time-heap.js';
import { type ChangeBelief, UNKNOWN_BELIEF, updateBelief } from '../src/domain/refresh/change-belief.js';
import {
  computeFreshnessInterval,
  computeHarmonicInterval,
  computeNextVisit,
  type RefreshObjective,
} from '../src/domain/refresh/smart-refresh.js';
import { limitPrice, updatePrice } from '../src/domain/refresh/visit-price.js';
import {
  between,
  type Duration,
  days,
  hours,
  type Instant,
  instant,
  milliseconds,
  NEVER,
} from '../src/domain/time/units.js';
import { type SimulatedPage, SimulatedSitemaps } from './freshness-sitemaps.js';
import { createRandom, type Page, type Random } from './freshness-web.js';

export const DAY = days(1);

/** Mean number of visits to a page: one visit every ten days for a year. */
export const VISITS_PER_PAGE = 36.5;

// ── policies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface SimulatedVisit {
  readonly page: Page;
  readonly index: number;
  readonly now: Instant;
  readonly dueAt: Instant;
  readonly changed: boolean;
  /** When the page was visited before. Absent on the first visit. */
  readonly lastVisitAt?: Instant;
  readonly lastModified?: Instant;
}

export interface Policy {
  readonly name: string;
  /** Returns the milliseconds until the next visit. */
  chooseDelay(visit: SimulatedVisit): number;
  /** Estimated time between two changes of a page. */
  estimateChangeInterval?(index: number): Duration;
  /** Whether pages are visited only once they are due. */
  readonly waitsUntilDue?: boolean;
}

const AGES = { minimumAge: hours(1), maximumAge: days(365) };

/** Apache Nutch's AdaptiveFetchSchedule with the settings of nutch-default.xml. */
export function createNutchPolicy(size: number): Policy {
  const intervals = new Float64Array(size).fill(days(30));
  const modified = new Float64Array(size);
  return {
    name: 'Nutch adaptive',
    chooseDelay({ index, lastVisitAt, now, changed }) {
      let interval = intervals[index]!;
      if (lastVisitAt === undefined || changed) modified[index] = now;
      if (lastVisitAt !== undefined) interval *= changed ? 0.8 : 1.4;
      const delta = now - modified[index]!;
      interval = Math.min(Math.max(interval, delta, 60_000), days(365));
      intervals[index] = interval;
      return Math.max(60_000, interval - 0.3 * delta);
    },
  };
}

/** Smart refresh as in the engine: see disposition.ts and visit-pricing.ts. */
export function createSmartPolicy(size: number, objective: RefreshObjective): Policy {
  const range = { ...AGES, objective };
  const beliefs: ChangeBelief[] = new Array(size).fill(UNKNOWN_BELIEF);
  const visits = new Uint32Array(size);
  let price: Duration | undefined;
  let pricedAt: Instant | undefined;
  return {
    name: `smart refresh, ${objective}`,
    waitsUntilDue: true,
    estimateChangeInterval: (index) => beliefs[index]!.interval,
    chooseDelay({ index, now, dueAt, changed, lastVisitAt, lastModified }) {
      const elapsed = lastVisitAt === undefined ? undefined : between(lastVisitAt, now);
      const age = lastModified === undefined ? undefined : between(lastModified, now);
      const belief = updateBelief(beliefs[index]!, { elapsed, changed, age });
      beliefs[index] = belief;
      const currentPrice = limitPrice(price, range);
      const draw = ((index + visits[index]!++) * 0.618_033_988_749_895) % 1;
      const next = computeNextVisit(belief, range, { price: currentPrice, draw });
      if (lastVisitAt !== undefined) {
        const sincePriced = pricedAt === undefined ? undefined : between(pricedAt, now);
        price = updatePrice(currentPrice, {
          lastVisitAt,
          dueAt,
          now,
          nextInterval: next,
          timeSincePriced: sincePriced,
        });
        pricedAt = now;
      }
      return next;
    },
  };
}

// ── optimum with known rates ─────────────────────────────────────────────────────────────────────────────────────────

/** Finds the multiplier at which `visitsPerDay(multiplier)` meets the budget; smaller ones lead to more visits. */
function findMultiplier(budget: number, visitsPerDay: (multiplier: number) => number): number {
  let low = 1;
  let high = 1e12;
  for (let step = 0; step < 100; step++) {
    const middle = Math.sqrt(low * high);
    if (visitsPerDay(middle) > budget) low = middle;
    else high = middle;
  }
  return high;
}

const sum = (pages: readonly Page[], getValue: (page: Page) => number): number =>
  pages.reduce((total, page) => total + getValue(page), 0);

/** Both measures of a policy, averaged over pages and time. */
export interface Measures {
  readonly staleness: number;
  readonly freshness: number;
}

const INTERVAL_FUNCTIONS = { harmonic: computeHarmonicInterval, freshness: computeFreshnessInterval };

/** The best fixed interval for a page with a known rate, limited to the maximum age. */
const computeBestInterval = (objective: RefreshObjective, rate: number, price: Duration): number =>
  Math.min(INTERVAL_FUNCTIONS[objective](rate, price), AGES.maximumAge);

/** The visit price at which the budget is used up if all rates are known. */
export function computeBestPrice(pages: readonly Page[], budget: number, objective: RefreshObjective): Duration {
  const computeVisitsPerDay = (price: number) =>
    sum(pages, ({ rate }) => DAY / computeBestInterval(objective, rate, milliseconds(price)));
  return milliseconds(findMultiplier(budget, computeVisitsPerDay));
}

/** Measures of the best fixed intervals for an objective, with known rates. */
export function computeOptimum(pages: readonly Page[], budget: number, objective: RefreshObjective): Measures {
  const price = computeBestPrice(pages, budget, objective);
  const chooseInterval = (rate: number) => computeBestInterval(objective, rate, price);
  const computeFreshness = ({ rate }: Page) => {
    const r = rate * chooseInterval(rate);
    return -Math.expm1(-r) / r;
  };
  const computeStaleness = ({ rate }: Page) => {
    const interval = chooseInterval(rate);
    return computeStaleTime(rate, interval) / interval;
  };
  return {
    staleness: sum(pages, computeStaleness) / pages.length,
    freshness: sum(pages, computeFreshness) / pages.length,
  };
}

const HARMONIC_NUMBERS = [0];

function computeHarmonicNumber(n: number): number {
  for (let k = HARMONIC_NUMBERS.length; k <= n; k++) HARMONIC_NUMBERS.push(HARMONIC_NUMBERS[k - 1]! + 1 / k);
  return HARMONIC_NUMBERS[n]!;
}

/** Ein(x), the entire exponential integral: the expected harmonic number of a Poisson variable with mean x. */
function computeEin(x: number): number {
  if (x > 30) return Math.log(x) + 0.577_215_664_901_532_9;
  if (x > 8) {
    // Ein(x) = ln x + γ + E1(x), with E1 as a continued fraction.
    let tail = 0;
    for (let k = 30; k >= 1; k--) tail = k / (1 + k / (x + tail));
    return Math.log(x) + 0.577_215_664_901_532_9 + Math.exp(-x) / (x + tail);
  }
  let term = x;
  let total = x;
  for (let k = 2; Math.abs(term) > 1e-12; k++) {
    term *= -x / k;
    total += term / k;
  }
  return total;
}

/** Expected harmonic staleness of a page, integrated over the time since its visit. */
const computeStaleTime = (rate: number, time: number): number => {
  const r = rate * time;
  return time * computeEin(r) - (r + Math.expm1(-r)) / rate;
};

// ── simulation ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Result {
  /** Measures over the whole time after the first crawl. */
  readonly whole: Measures;
  readonly learning: Measures;
  readonly settled: Measures;
  /** Share of the visits allowed by the budget that were made. */
  readonly usedShare: number;
}

/** Shares of pages whose sitemaps, which are read once a day, are truthful or lying. */
export interface SitemapShares {
  readonly true: number;
  readonly lying: number;
}

export class Simulation {
  readonly #random: Random;
  readonly #dueQueue = new TimeHeap<number>();
  readonly #dueAt: Float64Array;
  readonly #lastVisit: Float64Array;
  /** When the copy became, or becomes, stale. */
  readonly #nextChange: Float64Array;
  /**
   * Number of changes since the visit, and when the next change occurs; used only with sitemaps, because visits then
   * depend on the changes themselves.
   */
  readonly #missedChanges: Uint32Array;
  readonly #upcoming: Float64Array;
  /** Up to when the freshness and staleness of the page have been counted. */
  readonly #countedUntil: Float64Array;
  #freshTime = 0;
  #staleTime = 0;
  #visits = 0;
  #now = instant(0);
  readonly #sitemaps: SimulatedSitemaps | undefined;

  constructor(
    private readonly pages: readonly Page[],
    private readonly policy: Policy,
    private readonly budget: number,
    sitemaps?: SitemapShares,
    seed = 0,
  ) {
    this.#random = createRandom(4_711 + seed);
    this.#sitemaps =
      sitemaps &&
      new SimulatedSitemaps(pages.length, sitemaps, {
        describePage: (index) => this.#describePage(index),
        bringForward: (index, dueAt) => this.#bringForward(index, dueAt),
        now: () => this.#now,
      });
    this.#dueAt = new Float64Array(pages.length);
    this.#lastVisit = new Float64Array(pages.length).fill(Number.NaN);
    this.#nextChange = new Float64Array(pages.length);
    this.#missedChanges = new Uint32Array(pages.length);
    this.#upcoming = new Float64Array(pages.length);
    this.#countedUntil = new Float64Array(pages.length);
    for (let index = 0; index < pages.length; index++) this.#dueQueue.push(instant(0), index);
  }

  async run(daysToRun: number): Promise<Result> {
    const firstCrawlDays = Math.ceil(this.pages.length / this.budget);
    const boundaries = [
      firstCrawlDays,
      Math.floor((firstCrawlDays + daysToRun) / 2),
      Math.floor(daysToRun * 0.75),
      daysToRun,
    ] as const;
    const freshTimes: number[] = [];
    const staleTimes: number[] = [];
    let day = 0;
    for (const until of boundaries) {
      for (; day < until; day++) await this.#simulateDay(day);
      for (let index = 0; index < this.pages.length; index++) this.#countTimes(index, until * DAY);
      freshTimes.push(this.#freshTime);
      staleTimes.push(this.#staleTime);
    }
    const computeMeasures = (from: 0 | 2, to: 1 | 3): Measures => {
      const time = (boundaries[to] - boundaries[from]) * DAY * this.pages.length;
      return {
        staleness: (staleTimes[to]! - staleTimes[from]!) / time,
        freshness: (freshTimes[to]! - freshTimes[from]!) / time,
      };
    };
    const usedShare = this.#visits / (this.budget * daysToRun);
    return { whole: computeMeasures(0, 3), learning: computeMeasures(0, 1), settled: computeMeasures(2, 3), usedShare };
  }

  /** Simulates one day, in which visits are made at an even pace. */
  async #simulateDay(day: number): Promise<void> {
    this.#now = instant(day * DAY);
    await this.#sitemaps?.read();
    for (let slot = 0; slot < this.budget; slot++) {
      const now = instant((day + slot / this.budget) * DAY);
      this.#now = now;
      const index = this.#popNextDue(now);
      if (index === undefined) continue;
      const changed = this.#visit(index, now);
      if (this.#sitemaps) await this.#sitemaps.recordVisit(index, changed);
    }
  }

  #popNextDue(now: Instant): number | undefined {
    const horizon = this.policy.waitsUntilDue ? now : NEVER;
    for (;;) {
      const index = this.#dueQueue.popDue(horizon);
      // A page that was brought forward is also in the heap with its previous due time.
      if (index === undefined || this.#dueAt[index]! <= horizon) return index;
    }
  }

  #describePage(index: number): SimulatedPage {
    const lastVisit = this.#lastVisit[index]!;
    const nextChange = this.#nextChange[index]!;
    return {
      ...(Number.isNaN(lastVisit) ? {} : { lastVisitAt: instant(lastVisit) }),
      dueAt: instant(this.#dueAt[index]!),
      changeInterval: this.policy.estimateChangeInterval?.(index),
      ...(!Number.isNaN(lastVisit) && nextChange <= this.#now ? { changedAt: instant(nextChange) } : {}),
    };
  }

  #bringForward(index: number, dueAt: Instant): void {
    this.#dueAt[index] = dueAt;
    this.#dueQueue.push(dueAt, index);
  }

  #visit(index: number, now: Instant): boolean {
    const page = this.pages[index]!;
    this.#visits++;
    this.#countTimes(index, now);
    const lastVisit = this.#lastVisit[index]!;
    const lastVisitAt = Number.isNaN(lastVisit) ? undefined : instant(lastVisit);
    const changed = lastVisitAt === undefined || this.#nextChange[index]! <= now;
    const lastModified = changed
      ? this.#drawLastModified(page, lastVisitAt && this.#nextChange[index]!, now)
      : undefined;
    this.#lastVisit[index] = now;
    this.#nextChange[index] = now + this.#drawExponential(page.rate);
    this.#missedChanges[index] = 0;
    this.#upcoming[index] = this.#nextChange[index]!;
    const dueAt = instant(this.#dueAt[index]!);
    const nextVisitAt = now + this.policy.chooseDelay({ page, index, now, dueAt, changed, lastVisitAt, lastModified });
    this.#dueAt[index] = nextVisitAt;
    this.#dueQueue.push(instant(nextVisitAt), index);
    return changed;
  }

  /** When the page last changed. Without `firstChange`, the first change since the last visit, any time is possible. */
  #drawLastModified(page: Page, firstChange: number | undefined, now: Instant): Instant | undefined {
    const lastChange = now - this.#drawExponential(page.rate);
    return page.dated ? instant(Math.max(lastChange, firstChange ?? lastChange)) : undefined;
  }

  #countTimes(index: number, until: number): void {
    const lastVisit = this.#lastVisit[index]!;
    if (!Number.isNaN(lastVisit)) {
      const { rate } = this.pages[index]!;
      this.#staleTime += this.#sitemaps
        ? this.#computeMissedTime(index, until)
        : computeStaleTime(rate, until - lastVisit) - computeStaleTime(rate, this.#countedUntil[index]! - lastVisit);
    }
    this.#freshTime += Math.max(0, Math.min(until, this.#nextChange[index]!) - this.#countedUntil[index]!);
    this.#countedUntil[index] = until;
  }

  /**
   * Staleness of the copy, integrated over the time that has not been counted yet, from simulated changes: the expected
   * value is only valid if visits do not depend on the changes since the last visit.
   */
  #computeMissedTime(index: number, until: number): number {
    const { rate } = this.pages[index]!;
    let time = 0;
    let at = this.#countedUntil[index]!;
    let upcoming = this.#upcoming[index]!;
    let missedChanges = this.#missedChanges[index]!;
    for (; upcoming <= until; upcoming += this.#drawExponential(rate)) {
      time += computeHarmonicNumber(missedChanges++) * (upcoming - at);
      at = upcoming;
    }
    this.#upcoming[index] = upcoming;
    this.#missedChanges[index] = missedChanges;
    return time + computeHarmonicNumber(missedChanges) * (until - at);
  }

  #drawExponential(rate: number): number {
    return -Math.log(1 - this.#random()) / rate;
  }
}
