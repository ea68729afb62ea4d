/**
 * Logs events of the crawl: one line for each event that would justify waking an operator, and every visit at level
 * debug. Events that may occur thousands of times (held deletions, refused documents) are logged when their count for a
 * host or crawler reaches 1, 10, 100, …
 */
import { BoundedMap } from '../../domain/bounded-map.js';
import { isHoldCause } from '../../domain/crawl/change-guard.js';
import { ERROR_CODES, isErrorCode } from '../../domain/fetch/error-codes.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Log } from '../../engine/ports/log.js';

type Event<T extends CrawlEvent['type']> = Extract<CrawlEvent, { type: T }>;

/** Maximum number of hosts and crawlers counted at the same time; beyond it, counting starts again. */
const MAX_COUNTED = 10_000;

/** Maximum number of logged start URLs: a list of a million must not fill the log. */
const MAX_FAILED_ROOTS = 100;

const HELD_MESSAGES = {
  held: 'deletions are held until an operator releases or drops them',
  awaiting: 'deletions are waiting, because the host may have a fault',
  changed:
    'many pages of a host say the same; their documents stay as they are until the host is well, or an operator releases the changes',
} as const;

export class EventLog {
  private readonly counts = new BoundedMap<string, number>(MAX_COUNTED);
  /** Hosts that are not responding, or have asked crawlers to slow down. */
  private readonly unresponsiveHosts = new Set<string>();

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
    if (rootFailed !== undefined)
      this.logRootOutcome(`${crawler} ${url}`, { crawler, url, outcome, failed: rootFailed });
  }

  /** Without these messages, a crawl that cannot begin would look like one that has nothing to do. */
  private logRootOutcome(
    key: string,
    { crawler, url, outcome, failed }: Pick<Event<'visit'>, 'crawler' | 'url' | 'outcome'> & { failed: boolean },
  ): void {
    if (!failed) {
      if (this.failedRoots.delete(key)) this.log.info('the start URL is crawled again', { crawler, url });
    } else if (!this.failedRoots.has(key) && this.failedRoots.size < MAX_FAILED_ROOTS) {
      this.failedRoots.add(key);
      const meaning = isErrorCode(outcome) ? ERROR_CODES[outcome].meaning : undefined;
      this.log.warn('a start URL could not be crawled', { crawler, url, reason: outcome, meaning });
    }
  }

  private logOrder({ crawler, id, uri, kind, state, reason, message }: Event<'order'>): void {
    this.log.trace?.('order', { crawler, id, uri, kind, state, reason, answer: message });
    if (state === 'held' || state === 'awaiting') {
      const host = URL.parse(uri)?.host ?? uri;
      const kept = isHoldCause(reason) ? 'changed' : state;
      const count = this.countOccurrence(`${kept} ${crawler} ${host}`);
      if (count !== undefined)
        this.log.warn(HELD_MESSAGES[kept], {
          crawler,
          host,
          count,
          uri,
          reason,
        });
    } else if (state === 'refused') {
      const count = this.countOccurrence(`refused ${crawler}`);
      if (count !== undefined)
        this.log.warn('a sink is refusing orders; they are set aside', { crawler, count, uri, kind, answer: message });
    }
  }

  private logHost({ hostKey, state, until, cause }: Event<'host'>): void {
    if (state === 'backing off') {
      const details = { host: hostKey, cause, until: until && new Date(until).toISOString() };
      if (this.unresponsiveHosts.has(hostKey)) this.log.debug('the host is still not responding', details);
      else if (cause === 'http-429' || cause === 'http-503-retry-after')
        this.log.warn('a host asks crawlers to slow down, and is left alone', details);
      else this.log.warn('a host is not responding, and is left alone', details);
      if (this.unresponsiveHosts.size >= MAX_COUNTED) this.unresponsiveHosts.clear();
      this.unresponsiveHosts.add(hostKey);
    } else if (this.unresponsiveHosts.delete(hostKey)) this.log.info('the host is responding again', { host: hostKey });
  }

  private logLogin({ login, state, message }: Event<'login'>): void {
    if (state === 'stopped')
      this.log.error('a login was stopped and will not be retried until it is tested or its secret changes', {
        login,
        message,
      });
    else if (state === 'failing')
      this.log.warn('a login is failing; its pages are waiting, and nothing is deleted', { login, message });
    else this.log.info(`login ${login}: ${state}`);
  }

  /** The count so far if it should be logged (1, 10, 100, …). */
  private countOccurrence(key: string): number | undefined {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return Number.isInteger(Math.log10(count)) ? count : undefined;
  }
}
