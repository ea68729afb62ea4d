/**
 * How fresh does smart refresh keep a collection, at a given budget of visits? A simulation of 100,000 pages, seeded, without
 * network: `node dist/bench/freshness.js [pages]`.
 *
 * Freshness is the share of pages whose copy is up to date, averaged over time (Cho and Garcia-Molina, TODS 28(4), 2003).
 * Everybody begins with the same first crawl and then makes the same number of visits a day, always to the page that is due
 * first. The last quarter shows what is left when the policies have learnt what they can.
 */

import { TimeHeap } from '../src/domain/frontier/time-heap.js';
import { freshnessInterval, nextVisit, type VisitHistory } from '../src/domain/refresh/smart-refresh.js';
import { type Duration, days, hours, type Instant, instant, milliseconds, NEVER } from '../src/domain/time/units.js';
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
  readonly history: VisitHistory;
  readonly now: Instant;
  readonly changed: boolean;
}

interface Policy {
  readonly name: string;
  /** Milliseconds to the next visit. */
  next(visit: Visited): number;
  endOfDay?(): void;
}

const RANGE = { minimumAge: hours(1), maximumAge: days(365) };

/** Apache Nutch's AdaptiveFetchSchedule with the settings of nutch-default.xml. */
function nutch(size: number): Policy {
  const intervals = new Float64Array(size).fill(days(30));
  const modified = new Float64Array(size);
  return {
    name: 'Nutch adaptive',
    next({ index, history, now, changed }) {
      let interval = intervals[index]!;
      if (history.visits === 1 || changed) modified[index] = now;
      if (history.visits > 1) interval *= changed ? 0.8 : 1.4;
      const delta = now - modified[index]!;
      interval = Math.min(Math.max(interval, delta, 60_000), days(365));
      intervals[index] = interval;
      return Math.max(60_000, interval - 0.3 * delta);
    },
  };
}

/**
 * The price follows the budget. In the long run an interval grows with the square root of the price, so what all pages want,
 * times the square root of the price that they were told, tells the price at which they would want just the budget.
 */
function smart(size: number, budget: number): Policy {
  const wants = new Float64Array(size);
  let total = 0;
  let known = 0;
  let price = hours(6) as number;
  return {
    name: 'smart refresh',
    next({ page, index, history, now, changed }) {
      if (history.visits === 1) known++;
      const options = { price: milliseconds(price), jitter: page.jitter };
      const interval = nextVisit(history, RANGE, now, changed, options);
      const want = Math.sqrt(price) / interval;
      total += want - wants[index]!;
      wants[index] = want;
      return interval;
    },
    endOfDay() {
      price = ((total * DAY * (size / known)) / budget) ** 2;
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
function knownRates(pages: readonly Page[], budget: number): { price: Duration; freshness: number } {
  const asked = (price: Duration) => sum(pages, ({ rate }) => DAY / freshnessInterval(rate, price));
  const price = milliseconds(meetBudget(budget, (guess) => asked(milliseconds(guess))));
  const fresh = ({ rate }: Page) => {
    const r = rate * freshnessInterval(rate, price);
    return r === Number.POSITIVE_INFINITY ? 0 : -Math.expm1(-r) / r;
  };
  return { price, freshness: sum(pages, fresh) / pages.length };
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
  /** The last quarter of the time. */
  readonly settled: number;
}

class Simulation {
  readonly #random = seeded(4_711);
  readonly #due = new TimeHeap<number>();
  readonly #history: (VisitHistory | undefined)[];
  /** When the copy became, or becomes, stale. */
  readonly #nextChange: Float64Array;
  /** Up to when the fresh time of the page is counted. */
  readonly #counted: Float64Array;
  #freshTime = 0;

  constructor(
    private readonly pages: readonly Page[],
    private readonly policy: Policy,
    private readonly budget: number,
  ) {
    this.#history = new Array(pages.length);
    this.#nextChange = new Float64Array(pages.length);
    this.#counted = new Float64Array(pages.length);
    for (let index = 0; index < pages.length; index++) this.#due.push(instant(0), index);
  }

  run(daysToRun: number): Result {
    const spans = [Math.ceil(this.pages.length / this.budget), Math.floor(daysToRun * 0.75), daysToRun] as const;
    const fresh: number[] = [];
    let day = 0;
    for (const until of spans) {
      for (; day < until; day++) this.#day(day);
      for (let index = 0; index < this.pages.length; index++) this.#count(index, until * DAY);
      fresh.push(this.#freshTime);
    }
    const share = (from: 0 | 1) => (fresh[2]! - fresh[from]!) / ((spans[2] - spans[from]) * DAY * this.pages.length);
    return { whole: share(0), settled: share(1) };
  }

  /** Visits come at an even pace; when nothing is due, the page that is due next is visited early. */
  #day(day: number): void {
    for (let slot = 0; slot < this.budget; slot++) {
      const now = instant((day + slot / this.budget) * DAY);
      this.#visit(this.#due.popDue(NEVER)!, now);
    }
    this.policy.endOfDay?.();
  }

  #visit(index: number, now: Instant): void {
    const page = this.pages[index]!;
    this.#count(index, now);
    const before = this.#history[index];
    const changed = before === undefined || this.#nextChange[index]! <= now;
    const history: VisitHistory = {
      visits: (before?.visits ?? 0) + 1,
      changes: (before?.changes ?? 0) + (before && changed ? 1 : 0),
      firstSeenAt: before?.firstSeenAt ?? now,
      lastChangeAt: changed ? now : before.lastChangeAt,
      lastModified: changed ? this.#lastModified(page, before && this.#nextChange[index]!, now) : before.lastModified,
    };
    this.#history[index] = history;
    this.#nextChange[index] = now + this.#exponential(page.rate);
    const interval = this.policy.next({ page, index, history, now, changed });
    this.#due.push(instant(now + interval), index);
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
  console.log(`\n${distribution.name}; ${budget} visits a day, one per page in ${visitsEvery} days; ${daysToRun} days`);
  console.log('policy                                whole time   of optimum   last quarter   of optimum');
  const row = (name: string, whole: number, settled: number) => {
    const cells = [whole, whole / best.freshness, settled, settled / best.freshness];
    console.log(name.padEnd(36) + cells.map((share) => share.toFixed(4).padStart(12)).join(' '));
  };
  const simulate = (policy: Policy, web = pages) => {
    const { whole, settled } = new Simulation(web, policy, budget).run(daysToRun);
    row(policy.name, whole, settled);
  };
  row('optimum, fixed intervals (computed)', best.freshness, best.freshness);
  const random = memoryless(pages, budget);
  row('optimum, memoryless (computed)', random, random);
  simulate({ name: 'uniform', next: () => visitsEvery * DAY });
  simulate(nutch(size));
  simulate(smart(size, budget));
  simulate({ ...smart(size, budget), name: 'smart refresh, 40 % Last-Modified' }, makeWeb(distribution, size, 0.4));
}

const [size = 100_000] = process.argv.slice(2).map(Number);
for (const visitsEvery of [3, 10, 30]) report(CHO_GARCIA_MOLINA, visitsEvery, size);
report(BREWINGTON_CYBENKO, 10, size);
