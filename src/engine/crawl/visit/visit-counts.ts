/** Counts a visit in the crawler's metrics and the site's health, and emits an event. */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { type ErrorCode, getDefaultReactions } from '../../../domain/fetch/error-codes.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { Visit } from '../../ports/frontier-store.js';
import type { PageResult } from '../../ports/page-task.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { SiteHealth } from '../hosts/site-health.js';
import type { Tally } from '../load/tally.js';

export class VisitCounts {
  constructor(
    private readonly tally: Tally,
    private readonly health: SiteHealth,
    private readonly events: CrawlEvents,
  ) {}

  countVisit(state: UrlState, result: PageResult, visit: Visit): void {
    const { outcome: pageOutcome } = result;
    const isSitemapMissing = pageOutcome.kind === 'error' && isMissingGuessedSitemap(state, pageOutcome.code);
    const failed = pageOutcome.kind === 'error' && !isSitemapMissing;
    const countedOutcome = isSitemapMissing ? NO_SITEMAP : visit.outcome;
    this.tally.countVisit(countedOutcome, failed, result.duration, result.bytes);
    if (pageOutcome.kind === 'document' && pageOutcome.unread) this.tally.countUnread(pageOutcome.unread.refused);
    if (pageOutcome.kind === 'document' && pageOutcome.needsRendering) this.tally.needRendering++;
    if (result.rendering) this.tally.countRendering(result.rendering);
    this.health.recordVisit(state.hostKey, { outcome: countedOutcome, failed, duration: result.duration });
    const { crawler, url } = state;
    const rootFailure = state.discoveredVia === 'root' ? { rootFailed: failed } : {};
    const { outcome, status, bytes, changed, duration } = visit;
    this.events.emit({
      type: 'visit',
      crawler,
      url,
      outcome,
      status,
      bytes,
      changed,
      durationMs: duration,
      ...rootFailure,
    });
  }
}

/**
 * The outcome counted for a visit that found no sitemap in the usual place: since no one had named that sitemap,
 * nothing failed.
 */
const NO_SITEMAP = 'no-sitemap';

const isMissingGuessedSitemap = ({ url, discoveredVia }: UrlState, code: ErrorCode): boolean =>
  discoveredVia === 'robots' && getDefaultReactions(code).isMissing === true && toCrawlUrl(url).path === '/sitemap.xml';
