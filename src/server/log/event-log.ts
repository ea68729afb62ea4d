/**
 * Events of the crawl as lines of the log: one for each event that an operator would be woken for, and every visit at level debug.
 * Events that come by the thousand (held deletions, refused documents) are logged at 1, 10, 100, … of a host or crawler.
 */
import { ERROR_CODES, isErrorCode } from '../../domain/fetch/error-codes.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Log } from '../../engine/ports/log.js';

type Event<T extends CrawlEvent['type']> = Extract<CrawlEvent, { type: T }>;

/** Hosts and crawlers counted at the same time; beyond it, counting starts again. */
const MOST_COUNTED = 10_000;

/** A list of a million start URLs must not fill the log. */
const MOST_ROOTS = 100;

const HELD = {
  held: 'deletions are held until a person releases or drops them',
  awaiting: 'deletions wait until the host shows a sign of life',
} as const;

export class EventLog {
  private readonly counts = new Map<string, number>();
  /** Hosts that do not answer, or have asked for rest. */
  private readonly resting = new Set<string>();

  private readonly failedRoots = new Set<string>();

  constructor(private readonly log: Log) {}

  readonly logEvent = (event: CrawlEvent): void => {
    if (event.type === 'visit') this.logVisit(event);
    else if (event.type === 'order') this.logOrder(event);
    else if (event.type === 'host') this.logHost(event);
    else if (event.type === 'login') this.logLogin(event);
    else if (event.type === 'crawler') this.log.info(`crawler ${event.crawler}: ${event.state}`);
    else this.log.trace?.(event.type, { ...event });
  };

  private logVisit({ crawler, url, outcome, status, durationMs, bytes, changed, rootFailed }: Event<'visit'>): void {
    this.log.debug('visited', { crawler, url, outcome, status, durationMs, bytes, changed });
    if (rootFailed !== undefined) this.logRoot(`${crawler} ${url}`, { crawler, url, outcome, failed: rootFailed });
  }

  /** A crawl that cannot begin would otherwise look like one that has nothing to do. */
  private logRoot(
    key: string,
    { crawler, url, outcome, failed }: Pick<Event<'visit'>, 'crawler' | 'url' | 'outcome'> & { failed: boolean },
  ): void {
    if (!failed) {
      if (this.failedRoots.delete(key)) this.log.info('the start URL is crawled again', { crawler, url });
    } else if (!this.failedRoots.has(key) && this.failedRoots.size < MOST_ROOTS) {
      this.failedRoots.add(key);
      const meaning = isErrorCode(outcome) ? ERROR_CODES[outcome].meaning : undefined;
      this.log.warn('a start URL could not be crawled', { crawler, url, reason: outcome, meaning });
    }
  }

  private logOrder({ crawler, id, uri, kind, state, reason, message }: Event<'order'>): void {
    this.log.trace?.('order', { crawler, id, uri, kind, state, reason, answer: message });
    if (state === 'held' || state === 'awaiting') {
      const host = URL.parse(uri)?.host ?? uri;
      const count = this.countForReport(`${state} ${crawler} ${host}`);
      if (count !== undefined)
        this.log.warn(HELD[state], {
          crawler,
          host,
          count,
          uri,
          reason,
        });
    } else if (state === 'refused') {
      const count = this.countForReport(`refused ${crawler}`);
      if (count !== undefined)
        this.log.warn('a sink refuses orders; they are set aside', { crawler, count, uri, kind, answer: message });
    }
  }

  private logHost({ hostKey, state, until }: Event<'host'>): void {
    if (state === 'backing off') {
      const particulars = { host: hostKey, until: until && new Date(until).toISOString() };
      if (this.resting.has(hostKey)) this.log.debug('the host still does not answer', particulars);
      else this.log.warn('a host does not answer, or asks crawlers to slow down: it is left alone', particulars);
      if (this.resting.size >= MOST_COUNTED) this.resting.clear();
      this.resting.add(hostKey);
    } else if (this.resting.delete(hostKey)) this.log.info('the host answers again', { host: hostKey });
  }

  private logLogin({ login, state, message }: Event<'login'>): void {
    if (state === 'stopped')
      this.log.error('a login was refused and will not be retried until it is tested or its secret changes', {
        login,
        message,
      });
    else if (state === 'failing')
      this.log.warn('a login fails: its pages wait, and nothing is deleted', { login, message });
    else this.log.info(`login ${login}: ${state}`);
  }

  /** The count so far, if it is worth a line. */
  private countForReport(key: string): number | undefined {
    if (this.counts.size >= MOST_COUNTED) this.counts.clear();
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return Number.isInteger(Math.log10(count)) ? count : undefined;
  }
}
