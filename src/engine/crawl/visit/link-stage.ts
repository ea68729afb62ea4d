/** What a visit found is discovered, and what the page says about changes of other pages is recorded. */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import { isFeed } from '../../page/page-links.js';
import type { PageResult } from '../../ports/page-task.js';
import type { ClaimedChanges } from '../claimed-changes.js';
import type { FoundAgain } from '../found-again.js';
import type { Subscriptions } from '../subscriptions.js';
import type { FoundLinks } from './found-links.js';
import { isHub } from './page-requests.js';

export class LinkStage {
  constructor(
    private readonly context: CrawlContext,
    private readonly links: Pick<FoundLinks, 'take'>,
    private readonly foundAgain: Pick<FoundAgain, 'linked'>,
    private readonly claims: Pick<ClaimedChanges, 'dated' | 'hubChanged'>,
    private readonly subscriptions: Pick<Subscriptions, 'found'>,
  ) {}

  /** The result, including whether a sitemap has brought anything new. */
  async take(state: UrlState, result: PageResult): Promise<PageResult> {
    const again = await this.foundAgain.linked(state, result, this.context);
    const added = await this.links.take(
      state,
      again.length > 0 ? { ...result, links: [...result.links, ...again] } : result,
    );
    const { outcome, links, hub } = result;
    if (hub) this.subscriptions.found(state.crawler, state.url, hub);
    if (outcome.kind === 'sitemap')
      return { ...result, outcome: { ...outcome, changed: (await this.claims.dated(state, links)) || added > 0 } };
    if (outcome.kind === 'document') {
      if (isFeed(outcome.facts.contentType)) await this.claims.dated(state, links);
      else if (isHub(state, this.context) && outcome.facts.stamp !== state.stamp)
        await this.claims.hubChanged(state, links);
    }
    return result;
  }
}
