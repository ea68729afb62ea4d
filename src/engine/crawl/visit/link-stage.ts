/**
 * Takes the links that a visit found into the frontier, and handles what the page says about changes to other pages.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import { isFeed } from '../../page/page-links.js';
import type { PageResult } from '../../ports/page-task.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import type { HubSubscriptions } from '../evidence/hub-subscriptions.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { FoundLinks } from './found-links.js';
import { isHub } from './page-requests.js';

export class LinkStage {
  constructor(
    private readonly context: CrawlContext,
    private readonly links: Pick<FoundLinks, 'storeLinks'>,
    private readonly rediscovery: Pick<Rediscovery, 'findLinked'>,
    private readonly claims: Pick<ClaimedChanges, 'bringForwardDatedPages' | 'bringForwardHubLinks'>,
    private readonly subscriptions: Pick<HubSubscriptions, 'subscribeIfAllowed'>,
  ) {}

  /** Returns the result; that of a sitemap also says whether the sitemap contained anything new. */
  async process(state: UrlState, result: PageResult): Promise<PageResult> {
    const rediscoveredLinks = await this.rediscovery.findLinked(state, result, this.context);
    const newUrlCount = await this.links.storeLinks(
      state,
      rediscoveredLinks.length > 0 ? { ...result, links: [...result.links, ...rediscoveredLinks] } : result,
    );
    const { outcome, links, hub } = result;
    if (hub) this.subscriptions.subscribeIfAllowed(state.crawler, state.url, hub);
    if (outcome.kind === 'sitemap')
      return {
        ...result,
        outcome: { ...outcome, changed: (await this.claims.bringForwardDatedPages(state, links)) || newUrlCount > 0 },
      };
    if (outcome.kind === 'document') {
      if (isFeed(outcome.facts.contentType)) await this.claims.bringForwardDatedPages(state, links);
      else if (isHub(state, this.context) && outcome.facts.stamp !== state.stamp)
        await this.claims.bringForwardHubLinks(state, links);
    }
    return result;
  }
}
