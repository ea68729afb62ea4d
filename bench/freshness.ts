/**
 * How fresh does smart refresh keep a collection, at a given budget of visits? A simulation of 100,000 pages, seeded, without
 * network: `node dist/bench/freshness.js [pages]`.
 *
 * Freshness is the share of pages whose copy is up to date, averaged over time (Cho and Garcia-Molina, TODS 28(4), 2003).
 * Everybody begins with the same first crawl and then may make the same number of visits a day, to the page that is due first.
 * Smart refresh is the engine's own: the belief, the interval and the price of a visit are the functions that the crawl calls,
 * and the host that they see is one that serves so many pages a day and no more. What is not due then is not visited, while the
 * others visit the next page early. *Learning* is the first half of the time after the first crawl, *settled* the last quarter.
 */

import { TimeHeap } from '../src/domain/frontier/time-heap.js';
import { type ChangeBelief, learn, UNKNOWN } from '../src/domain/refresh/change-belief.js';
import { freshnessInterval, nextVisit } from '../src/domain/refresh/smart-refresh.js';
import { effectivePrice, priceAfter } from '../src/domain/refresh/visit-price.js';
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
import {
  BREWINGTON_CYBENKO,
  CHO_GARCIA_MOLINA,
  type Distribution,
  makeWeb,
  type Page,
  seeded,
} from './freshness-web.js';

const DAY = days(1);

/** Mean number of visits to a page: a year at one visit in ten days. */
const VISITS_A_PAGE = 36.5;

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

interface Policy {
  readonly name: string;
  /** Milliseconds to the next visit. */
  next(visit: Visited): number;
  /** Visits nothing before its time. */
  readonly waits?: boolean;
}

const RANGE = { minimumAge: hours(1), maximumAge: days(365) };

/** Apache Nutch's AdaptiveFetchSchedule with the settings of nutch-default.xml. */
function nutch(size: number): Policy {
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
function smart(size: number): Policy {
  const beliefs: ChangeBelief[] = new Array(size).fill(UNKNOWN);
  const visits = new Uint32Array(size);
  let price: Duration | undefined;
  let pricedAt: Instant | undefined;
  return {
    name: 'smart refresh',
    waits: true,
    next({ index, now, dueAt, changed, lastVisitAt, lastModified }) {
      const elapsed = lastVisitAt === undefined ? undefined : between(lastVisitAt, now);
      const age = lastModified === undefined ? undefined : between(lastModified, now);
      const belief = learn(beliefs[index]!, { elapsed, changed, age });
      beliefs[index] = belief;
      const present = effectivePrice(price, RANGE);
      const draw = ((index + visits[index]!++) * 0.618_033_988_749_895) % 1;
      const next = nextVisit(belief, RANGE, { price: present, draw });
      if (lastVisitAt !== undefined) {
        const sincePriced = pricedAt === undefined ? undefined : between(pricedAt, now);
        price = priceAfter(present, { lastVisitAt, dueAt, now, next, sincePriced });
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

/** Fixed intervals (Cho and Garcia-Molina 2003). */
function knownRates(pages: readonly Page[], budget: number): number {
  const asked = (price: Duration) => sum(pages, ({ rate }) => DAY / freshnessInterval(rate, price));
  const price = milliseconds(meetBudget(budget, (guess) => asked(milliseconds(guess))));
  const fresh = ({ rate }: Page) => {
    const r = rate * freshnessInterval(rate, price);
    return r === Number.POSITIVE_INFINITY ? 0 : -Math.expm1(-r) / r;
  };
  return sum(pages, fresh) / pages.length;
}

/** Memoryless visits (Azar, Horvitz, Lubetzky, Peres and Shahaf, PNAS 115(32), 2018): frequency sqrt(rate * m) - rate. */
function memoryless(pages: readonly Page[], budget: number): number {
  const frequency = (rate: number, m: number) => Math.max(0, Math.sqrt(rate * m) - rate);
  const inverse = meetBudget(budget, (price) => DAY * sum(pages, ({ rate }) => frequency(rate, 1 / price)));
  const fresh = ({ rate }: Page) => 1 / (1 + rate / frequency(rate, 1 / inverse));
  return sum(pages, fresh) / pages.length;
}

// ── simulation ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Result {
  /** From the end of the first crawl on. */
  readonly whole: number;
  readonly learning: number;
  readonly settled: number;
  /** Of the visits that the budget allows, the share that was made. */
  readonly used: number;
}

class Simulation {
  readonly #random = seeded(4_711);
  readonly #due = new TimeHeap<number>();
  readonly #dueAt: Float64Array;
  readonly #lastVisit: Float64Array;
  /** When the copy became, or becomes, stale. */
  readonly #nextChange: Float64Array;
  /** Up to when the fresh time of the page is counted. */
  readonly #counted: Float64Array;
  #freshTime = 0;
  #visits = 0;

  constructor(
    private readonly pages: readonly Page[],
    private readonly policy: Policy,
    private readonly budget: number,
  ) {
    this.#dueAt = new Float64Array(pages.length);
    this.#lastVisit = new Float64Array(pages.length).fill(Number.NaN);
    this.#nextChange = new Float64Array(pages.length);
    this.#counted = new Float64Array(pages.length);
    for (let index = 0; index < pages.length; index++) this.#due.push(instant(0), index);
  }

  run(daysToRun: number): Result {
    const first = Math.ceil(this.pages.length / this.budget);
    const spans = [first, Math.floor((first + daysToRun) / 2), Math.floor(daysToRun * 0.75), daysToRun] as const;
    const fresh: number[] = [];
    let day = 0;
    for (const until of spans) {
      for (; day < until; day++) this.#day(day);
      for (let index = 0; index < this.pages.length; index++) this.#count(index, until * DAY);
      fresh.push(this.#freshTime);
    }
    const share = (from: 0 | 2, to: 1 | 3) =>
      (fresh[to]! - fresh[from]!) / ((spans[to] - spans[from]) * DAY * this.pages.length);
    const used = this.#visits / (this.budget * daysToRun);
    return { whole: share(0, 3), learning: share(0, 1), settled: share(2, 3), used };
  }

  /** Visits come at an even pace. */
  #day(day: number): void {
    for (let slot = 0; slot < this.budget; slot++) {
      const now = instant((day + slot / this.budget) * DAY);
      const index = this.#due.popDue(this.policy.waits ? now : NEVER);
      if (index !== undefined) this.#visit(index, now);
    }
  }

  #visit(index: number, now: Instant): void {
    const page = this.pages[index]!;
    this.#visits++;
    this.#count(index, now);
    const last = this.#lastVisit[index]!;
    const lastVisitAt = Number.isNaN(last) ? undefined : instant(last);
    const changed = lastVisitAt === undefined || this.#nextChange[index]! <= now;
    const lastModified = changed ? this.#lastModified(page, lastVisitAt && this.#nextChange[index]!, now) : undefined;
    this.#lastVisit[index] = now;
    this.#nextChange[index] = now + this.#exponential(page.rate);
    const dueAt = instant(this.#dueAt[index]!);
    const next = now + this.policy.next({ page, index, now, dueAt, changed, lastVisitAt, lastModified });
    this.#dueAt[index] = next;
    this.#due.push(instant(next), index);
  }

  /** The last of the changes since `firstChange`; without one, of all time. */
  #lastModified(page: Page, firstChange: number | undefined, now: Instant): Instant | undefined {
    const last = now - this.#exponential(page.rate);
    return page.dated ? instant(Math.max(last, firstChange ?? last)) : undefined;
  }

  #count(index: number, until: number): void {
    this.#freshTime += Math.max(0, Math.min(until, this.#nextChange[index]!) - this.#counted[index]!);
    this.#counted[index] = until;
  }

  #exponential(rate: number): number {
    return -Math.log(1 - this.#random()) / rate;
  }
}

// ── table ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function report(distribution: Distribution, visitsEvery: number, size: number): void {
  const daysToRun = Math.ceil(visitsEvery * VISITS_A_PAGE);
  const budget = Math.max(1, Math.round(size / visitsEvery));
  const pages = makeWeb(distribution, size, 0);
  const best = knownRates(pages, budget);
  console.log(
    `\n${distribution.name}; ${budget} visits a day, one per page in ${visitsEvery} days; ${daysToRun} days; optimum ${best.toFixed(4)}`,
  );
  console.log('| share of the optimum | whole time | learning | settled | visits made |');
  console.log('|---|---|---|---|---|');
  const row = (name: string, { whole, learning, settled, used }: Result) => {
    const shares = [whole, learning, settled].map((fresh) => fresh / best);
    console.log(`| ${name} | ${[...shares, used].map((share) => `${(100 * share).toFixed(1)} %`).join(' | ')} |`);
  };
  const simulate = (policy: Policy, web = pages) =>
    row(policy.name, new Simulation(web, policy, budget).run(daysToRun));
  const random = memoryless(pages, budget);
  row('optimum of memoryless visits (computed)', { whole: random, learning: random, settled: random, used: 1 });
  simulate({ name: 'uniform', next: () => visitsEvery * DAY });
  simulate(nutch(size));
  simulate(smart(size));
  simulate({ ...smart(size), name: 'smart refresh, 40 % with Last-Modified' }, makeWeb(distribution, size, 0.4));
}

const [size = 100_000] = process.argv.slice(2).map(Number);
console.log('Target: within 5 % of the optimum with known rates, settled.');
for (const visitsEvery of [3, 10, 30]) report(CHO_GARCIA_MOLINA, visitsEvery, size);
report(BREWINGTON_CYBENKO, 10, size);
