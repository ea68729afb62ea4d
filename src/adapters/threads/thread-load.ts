/** Which thread gets a page, and when there are too few threads. */
import { BoundedMap } from '../../domain/bounded-map.js';
import type { PageThread } from './page-thread.js';

/** Assumed reading time in milliseconds of a page from a host with no measurements yet. */
const DEFAULT_MS = 5;
/** Hosts with a higher average are limited to some of the threads. */
const SLOW_MS = 250;
/** A single page that takes this long makes its host slow until several other pages have taken less time. */
const LONG_MS = 1_000;
const LATEST_WEIGHT = 0.2;
/** Averages below this are not remembered. */
const MIN_REMEMBERED_MS = 20;
const MAX_HOSTS = 10_000;

/** Remembers which hosts have pages that are slow to read, because such hosts may block only some of the threads. */
export class ReadingTimes {
  private readonly averages = new BoundedMap<string, number>(MAX_HOSTS);

  estimateTime(host: string): number {
    return this.averages.get(host) ?? DEFAULT_MS;
  }

  isSlow(host: string): boolean {
    return this.estimateTime(host) >= SLOW_MS;
  }

  record(host: string, ms: number): void {
    const previousAverage = this.averages.get(host);
    if (previousAverage === undefined && ms < MIN_REMEMBERED_MS) return;
    const average = (previousAverage ?? DEFAULT_MS) * (1 - LATEST_WEIGHT) + ms * LATEST_WEIGHT;
    this.averages.delete(host);
    if (ms < LONG_MS && average < MIN_REMEMBERED_MS) return;
    this.averages.set(host, ms < LONG_MS ? average : Math.max(average, LONG_MS));
  }
}

const MAX_PAGE_THREADS = 8;

/**
 * Pages cost more than everything else together, so they get every core but one, which schedules, stores and delivers.
 * Two page threads on two cores take 10 % more time (each compiles the same code) and 40 MB more memory. If reading a
 * page costs several times as much as the rest, as it does with selectors, a thread on the last core pays off as well.
 * Eight page threads can read more than the main thread can handle (`npm run bench -- cores`).
 */
export const choosePageThreadLimits = (cores: number): { threads: number; maxThreads: number } => ({
  threads: Math.min(MAX_PAGE_THREADS, Math.max(1, cores - 1)),
  maxThreads: Math.min(MAX_PAGE_THREADS, cores),
});

const MIN_BUSY_SHARE = 0.95;
const MAX_MAIN_SHARE = 0.4;
/** Required number of checks in a row, because a single page may keep a thread busy for seconds. */
const REQUIRED_CHECKS = 3;

/** Decides when to add a page thread: when all of them are busy and the main thread has time to spare. */
export class ThreadDemand {
  private checks = 0;

  /**
   * Returns true if a thread should be added. To be called at a steady pace, with the share of the time since the last
   * call during which each thread was busy, from 0 to 1.
   */
  checkDemand(mainShare: number, threadShares: readonly number[]): boolean {
    this.checks =
      mainShare < MAX_MAIN_SHARE && threadShares.every((share) => share > MIN_BUSY_SHARE) ? this.checks + 1 : 0;
    if (this.checks < REQUIRED_CHECKS) return false;
    this.checks = 0;
    return true;
  }
}

export function findLeastBusyThread(threads: readonly PageThread[]): PageThread {
  const backlogs = threads.map((thread) => thread.backlog);
  const leastBusy = threads.map((_, i) => i).reduce((best, i) => (isLessBusy(i, best) ? i : best));
  return threads[leastBusy]!;

  function isLessBusy(first: number, second: number): boolean {
    if (backlogs[first] !== backlogs[second]) return backlogs[first]! < backlogs[second]!;
    return threads[first]!.load < threads[second]!.load;
  }
}

/** Extracts the host of a canonical URL without the cost of parsing it. */
export function extractHost(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
