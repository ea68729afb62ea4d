/** How long the pages of a host take to read, if unusually long: slow hosts may block only some of the threads. */

/** Assumed milliseconds for a page of a host about which nothing is known. */
const USUAL_MS = 5;
/** Hosts with a higher average are limited to some of the threads. */
const SLOW_MS = 250;
/** A single page that takes this long makes a host slow until some other pages have been read in less time. */
const LONG_MS = 1_000;
const WEIGHT_OF_LAST = 0.2;
/** Averages below this are not remembered. */
const UNREMARKABLE_MS = 20;
const MOST_HOSTS = 10_000;

export class ReadingTimes {
  private readonly averages = new Map<string, number>();

  estimateTime(host: string): number {
    return this.averages.get(host) ?? USUAL_MS;
  }

  isSlow(host: string): boolean {
    return this.estimateTime(host) >= SLOW_MS;
  }

  record(host: string, ms: number): void {
    const known = this.averages.get(host);
    if (known === undefined && ms < UNREMARKABLE_MS) return;
    const average = (known ?? USUAL_MS) * (1 - WEIGHT_OF_LAST) + ms * WEIGHT_OF_LAST;
    this.averages.delete(host);
    if (ms < LONG_MS && average < UNREMARKABLE_MS) return;
    if (this.averages.size >= MOST_HOSTS) this.averages.delete(this.averages.keys().next().value!);
    this.averages.set(host, ms < LONG_MS ? average : Math.max(average, LONG_MS));
  }
}
