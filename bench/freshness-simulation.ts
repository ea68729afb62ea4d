/** The simulation of `freshness.ts`: policies, the optimum with known rates, and what visits at an even pace make of a web of pages. */
import { TimeHeap } from '../src/domain/frontier/time-heap.js';
import { type ChangeBelief, UNKNOWN, updateBelief } from '../src/domain/refresh/change-belief.js';
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
import { type Page, type Random, seeded } from './freshness-web.js';

export const DAY = days(1);

/** Mean number of visits to a page: a year at one visit in ten days. */
export const VISITS_A_PAGE = 36.5;

// ── policies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Visited {
  readonly page: Page;
  readonly index: number;
  readonly now: Instant;
  readonly dueAt: Instant;
  readonly changed: boolean;
  /** The visit before; absent on the first. */
  readonly lastVisitAt?: Instant;
  readonly lastModified?: Instant;
}

export interface Policy {
  readonly name: string;
  /** Milliseconds to the next visit. */
  next(visit: Visited): number;
  /** What it believes of the time between two changes of a page. */
  changeInterval?(index: number): Duration;
  /** Visits nothing before its time. */
  readonly waits?: boolean;
}

const AGES = { minimumAge: hours(1), maximumAge: days(365) };

/** Apache Nutch's AdaptiveFetchSchedule with the settings of nutch-default.xml. */
export function nutch(size: number): Policy {
  const intervals = new Float64Array(size).fill(days(30));
  const modified = new Float64Array(size);
  return {
    name: 'Nutch adaptive',
    next({ index, lastVisitAt, now, changed }) {
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

/** As the engine does it: see disposition.ts and visit-pricing.ts. */
export function smart(size: number, objective: RefreshObjective): Policy {
  const range = { ...AGES, objective };
  const beliefs: ChangeBelief[] = new Array(size).fill(UNKNOWN);
  const visits = new Uint32Array(size);
  let price: Duration | undefined;
  let pricedAt: Instant | undefined;
  return {
    name: `smart refresh, ${objective}`,
    waits: true,
    changeInterval: (index) => beliefs[index]!.interval,
    next({ index, now, dueAt, changed, lastVisitAt, lastModified }) {
      const elapsed = lastVisitAt === undefined ? undefined : between(lastVisitAt, now);
      const age = lastModified === undefined ? undefined : between(lastModified, now);
      const belief = updateBelief(beliefs[index]!, { elapsed, changed, age });
      beliefs[index] = belief;
      const present = limitPrice(price, range);
      const draw = ((index + visits[index]!++) * 0.618_033_988_749_895) % 1;
      const next = computeNextVisit(belief, range, { price: present, draw });
      if (lastVisitAt !== undefined) {
        const sincePriced = pricedAt === undefined ? undefined : between(pricedAt, now);
        price = updatePrice(present, { lastVisitAt, dueAt, now, next, sincePriced });
        pricedAt = now;
      }
      return next;
    },
  };
}

// ── optimum with known rates ─────────────────────────────────────────────────────────────────────────────────────────

/** The multiplier at which `visitsPerDay(multiplier)` meets the budget; more visits at a smaller one. */
function meetBudget(budget: number, visitsPerDay: (multiplier: number) => number): number {
  let low = 1;
  let high = 1e12;
  for (let step = 0; step < 100; step++) {
    const middle = Math.sqrt(low * high);
    if (visitsPerDay(middle) > budget) low = middle;
    else high = middle;
  }
  return high;
}

const sum = (pages: readonly Page[], value: (page: Page) => number): number =>
  pages.reduce((total, page) => total + value(page), 0);

/** Both measures of some visits: harmonic staleness and freshness. */
export interface Measures {
  readonly staleness: number;
  readonly freshness: number;
}

const INTERVALS = { harmonic: computeHarmonicInterval, freshness: computeFreshnessInterval };

/** The best fixed interval with a known rate, none beyond the maximum age. */
const bestInterval = (objective: RefreshObjective, rate: number, price: Duration): number =>
  Math.min(INTERVALS[objective](rate, price), AGES.maximumAge);

/** What a visit has to earn when all rates are known. */
export function bestPrice(pages: readonly Page[], budget: number, objective: RefreshObjective): Duration {
  const asked = (price: number) => sum(pages, ({ rate }) => DAY / bestInterval(objective, rate, milliseconds(price)));
  return milliseconds(meetBudget(budget, asked));
}

/** The best fixed intervals for an objective, with known rates. */
export function knownRates(pages: readonly Page[], budget: number, objective: RefreshObjective): Measures {
  const price = bestPrice(pages, budget, objective);
  const interval = (rate: number) => bestInterval(objective, rate, price);
  const fresh = ({ rate }: Page) => {
    const r = rate * interval(rate);
    return -Math.expm1(-r) / r;
  };
  const stale = ({ rate }: Page) => {
    const chosen = interval(rate);
    return staleTime(rate, chosen) / chosen;
  };
  return { staleness: sum(pages, stale) / pages.length, freshness: sum(pages, fresh) / pages.length };
}

const HARMONIC = [0];

function harmonicNumber(n: number): number {
  for (let last = HARMONIC.length; last <= n; last++) HARMONIC.push(HARMONIC[last - 1]! + 1 / last);
  return HARMONIC[n]!;
}

/** Ein(x), the entire exponential integral: the expected harmonic number of a Poisson variable with mean x. */
function ein(x: number): number {
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

/** Expected harmonic staleness of a page, summed over the time since its visit. */
const staleTime = (rate: number, time: number): number => {
  const r = rate * time;
  return time * ein(r) - (r + Math.expm1(-r)) / rate;
};

// ── simulation ───────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Result {
  /** From the end of the first crawl on. */
  readonly whole: Measures;
  readonly learning: Measures;
  readonly settled: Measures;
  /** Of the visits that the budget allows, the share that was made. */
  readonly used: number;
}

/** Shares of the pages whose sitemap, read once a day, tells the truth, and whose lies. */
export interface SitemapShares {
  readonly true: number;
  readonly lying: number;
}

export class Simulation {
  readonly #random: Random;
  readonly #due = new TimeHeap<number>();
  readonly #dueAt: Float64Array;
  readonly #lastVisit: Float64Array;
  /** When the copy became, or becomes, stale. */
  readonly #nextChange: Float64Array;
  /** Changes since the visit, and when the next one comes: with sitemaps alone, whose visits follow the changes themselves. */
  readonly #missed: Uint32Array;
  readonly #upcoming: Float64Array;
  /** Up to when the fresh time of the page is counted. */
  readonly #counted: Float64Array;
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
    this.#random = seeded(4_711 + seed);
    this.#sitemaps =
      sitemaps &&
      new SimulatedSitemaps(pages.length, sitemaps, {
        page: (index) => this.#page(index),
        bringForward: (index, dueAt) => this.#bringForward(index, dueAt),
        now: () => this.#now,
      });
    this.#dueAt = new Float64Array(pages.length);
    this.#lastVisit = new Float64Array(pages.length).fill(Number.NaN);
    this.#nextChange = new Float64Array(pages.length);
    this.#missed = new Uint32Array(pages.length);
    this.#upcoming = new Float64Array(pages.length);
    this.#counted = new Float64Array(pages.length);
    for (let index = 0; index < pages.length; index++) this.#due.push(instant(0), index);
  }

  async run(daysToRun: number): Promise<Result> {
    const first = Math.ceil(this.pages.length / this.budget);
    const spans = [first, Math.floor((first + daysToRun) / 2), Math.floor(daysToRun * 0.75), daysToRun] as const;
    const fresh: number[] = [];
    const stale: number[] = [];
    let day = 0;
    for (const until of spans) {
      for (; day < until; day++) await this.#day(day);
      for (let index = 0; index < this.pages.length; index++) this.#count(index, until * DAY);
      fresh.push(this.#freshTime);
      stale.push(this.#staleTime);
    }
    const share = (from: 0 | 2, to: 1 | 3): Measures => {
      const time = (spans[to] - spans[from]) * DAY * this.pages.length;
      return { staleness: (stale[to]! - stale[from]!) / time, freshness: (fresh[to]! - fresh[from]!) / time };
    };
    const used = this.#visits / (this.budget * daysToRun);
    return { whole: share(0, 3), learning: share(0, 1), settled: share(2, 3), used };
  }

  /** Visits come at an even pace. */
  async #day(day: number): Promise<void> {
    this.#now = instant(day * DAY);
    await this.#sitemaps?.read();
    for (let slot = 0; slot < this.budget; slot++) {
      const now = instant((day + slot / this.budget) * DAY);
      this.#now = now;
      const index = this.#nextDue(now);
      if (index === undefined) continue;
      const changed = this.#visit(index, now);
      if (this.#sitemaps) await this.#sitemaps.visited(index, changed);
    }
  }

  #nextDue(now: Instant): number | undefined {
    const horizon = this.policy.waits ? now : NEVER;
    for (;;) {
      const index = this.#due.popDue(horizon);
      // A page that was brought forward is still in the heap for the time before.
      if (index === undefined || this.#dueAt[index]! <= horizon) return index;
    }
  }

  #page(index: number): SimulatedPage {
    const last = this.#lastVisit[index]!;
    const changed = this.#nextChange[index]!;
    return {
      ...(Number.isNaN(last) ? {} : { lastVisitAt: instant(last) }),
      dueAt: instant(this.#dueAt[index]!),
      changeInterval: this.policy.changeInterval?.(index),
      ...(!Number.isNaN(last) && changed <= this.#now ? { changedAt: instant(changed) } : {}),
    };
  }

  #bringForward(index: number, dueAt: Instant): void {
    this.#dueAt[index] = dueAt;
    this.#due.push(dueAt, index);
  }

  #visit(index: number, now: Instant): boolean {
    const page = this.pages[index]!;
    this.#visits++;
    this.#count(index, now);
    const last = this.#lastVisit[index]!;
    const lastVisitAt = Number.isNaN(last) ? undefined : instant(last);
    const changed = lastVisitAt === undefined || this.#nextChange[index]! <= now;
    const lastModified = changed ? this.#lastModified(page, lastVisitAt && this.#nextChange[index]!, now) : undefined;
    this.#lastVisit[index] = now;
    this.#nextChange[index] = now + this.#exponential(page.rate);
    this.#missed[index] = 0;
    this.#upcoming[index] = this.#nextChange[index]!;
    const dueAt = instant(this.#dueAt[index]!);
    const next = now + this.policy.next({ page, index, now, dueAt, changed, lastVisitAt, lastModified });
    this.#dueAt[index] = next;
    this.#due.push(instant(next), index);
    return changed;
  }

  /** The last of the changes since `firstChange`; without one, of all time. */
  #lastModified(page: Page, firstChange: number | undefined, now: Instant): Instant | undefined {
    const last = now - this.#exponential(page.rate);
    return page.dated ? instant(Math.max(last, firstChange ?? last)) : undefined;
  }

  #count(index: number, until: number): void {
    const last = this.#lastVisit[index]!;
    if (!Number.isNaN(last)) {
      const { rate } = this.pages[index]!;
      this.#staleTime += this.#sitemaps
        ? this.#missedTime(index, until)
        : staleTime(rate, until - last) - staleTime(rate, this.#counted[index]! - last);
    }
    this.#freshTime += Math.max(0, Math.min(until, this.#nextChange[index]!) - this.#counted[index]!);
    this.#counted[index] = until;
  }

  /** Staleness of what the copy has missed, summed over the time that is not counted yet: its expectation holds only for visits that know nothing of the changes since the last. */
  #missedTime(index: number, until: number): number {
    const { rate } = this.pages[index]!;
    let time = 0;
    let at = this.#counted[index]!;
    let upcoming = this.#upcoming[index]!;
    let missed = this.#missed[index]!;
    for (; upcoming <= until; upcoming += this.#exponential(rate)) {
      time += harmonicNumber(missed++) * (upcoming - at);
      at = upcoming;
    }
    this.#upcoming[index] = upcoming;
    this.#missed[index] = missed;
    return time + harmonicNumber(missed) * (until - at);
  }

  #exponential(rate: number): number {
    return -Math.log(1 - this.#random()) / rate;
  }
}
