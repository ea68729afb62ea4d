/** Remembers which hosts have pages that are slow to read, because such hosts may block only some of the threads. */

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

export class ReadingTimes {
  private readonly averages = new Map<string, number>();

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
    if (this.averages.size >= MAX_HOSTS) this.averages.delete(this.averages.keys().next().value!);
    this.averages.set(host, ms < LONG_MS ? average : Math.max(average, LONG_MS));
  }
}
