/** Counts a visit in the crawler's metrics and the site's health, and emits an event. */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { type ErrorCode, getDefaultReactions } from '../../../domain/fetch/error-codes.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { Visit } from '../../ports/frontier-store.js';
import type { PageResult } from '../../ports/page-task.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { SiteHealth } from '../hosts/site-health.js';
import type { Tally } from '../tally.js';

export class VisitCounts {
  constructor(
    private readonly tally: Tally,
    private readonly health: SiteHealth,
    private readonly events: CrawlEvents,
  ) {}

  countVisit(state: UrlState, result: PageResult, visit: Visit): void {
    const { outcome: end } = result;
    const noSitemap = end.kind === 'error' && isMissingGuess(state, end.code);
    const failed = end.kind === 'error' && !noSitemap;
    const counted = noSitemap ? NO_SITEMAP : visit.outcome;
    this.tally.countVisit(counted, failed, result.duration, result.bytes);
    if (end.kind === 'document' && end.unread) this.tally.countUnread(end.unread.refused);
    if (end.kind === 'document' && end.needsRendering) this.tally.needRendering++;
    if (result.rendering) this.tally.countRendering(result.rendering);
    this.health.recordVisit(state.hostKey, { outcome: counted, failed, duration: result.duration });
    const { crawler, url } = state;
    const root = state.discoveredVia === 'root' ? { rootFailed: failed } : {};
    const { outcome, status, bytes, changed, duration } = visit;
    this.events.emit({ type: 'visit', crawler, url, outcome, status, bytes, changed, durationMs: duration, ...root });
  }
}

/**
 * The outcome under which a visit is counted that looked for a sitemap in the usual place and found none: nobody had
 * named it, so nothing failed.
 */
const NO_SITEMAP = 'no-sitemap';

const isMissingGuess = ({ url, discoveredVia }: UrlState, code: ErrorCode): boolean =>
  discoveredVia === 'robots' && getDefaultReactions(code).isMissing === true && toCrawlUrl(url).path === '/sitemap.xml';
