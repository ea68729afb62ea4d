/**
 * What a crawler keeps in memory in addition to its store, within limits: documents, hosts, URLs reported by sites, and
 * refused links.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { NotificationProtocol } from '../../domain/explain/visit-detail.js';
import type { CanonicalPages } from './evidence/canonical-pages.js';
import type { ClaimedChanges } from './evidence/claimed-changes.js';
import type { EndlessLinks } from './evidence/endless-links.js';
import type { HostTroubles } from './evidence/host-trouble.js';
import type { FoundAgain } from './evidence/rediscovery.js';
import { RefusedLinks } from './frontier/refused-links.js';
import type { Tally } from './load/tally.js';
import type { SettledUrl } from './outcome/decision.js';
import type { Documents } from './visit/documents.js';

/** Maximum number of URLs that their site has reported as changed and that have not been visited since. */
const MAX_REPORTED = 100_000;

interface Parts {
  readonly tally: Tally;
  readonly documents: Documents;
  readonly foundAgain: FoundAgain;
  readonly canonicalPages: CanonicalPages;
  readonly claims: ClaimedChanges;
  readonly endless: EndlessLinks;
  readonly troubles: HostTroubles;
}

export class CrawlerMemory {
  readonly refused = new RefusedLinks();
  /** URLs that their site has reported as changed, with the channel that reported them. */
  readonly reportedUrls = new Map<UrlId, NotificationProtocol>();

  constructor(readonly parts: Parts) {}

  /** To be called when a site has reported these URLs as changed; the next visit of each records that. */
  noteReported(urls: readonly UrlState[], protocol: NotificationProtocol): void {
    for (const { id } of urls) if (this.reportedUrls.size < MAX_REPORTED) this.reportedUrls.set(id, protocol);
  }

  /** To be called when the URL's new state has been written. */
  noteSettled(url: UrlState, settled: SettledUrl): void {
    if (settled.removed) this.parts.foundAgain.noteRemoval();
    this.parts.documents.noteSettled(url, settled.simhash);
  }

  /** To be called after a visit has been settled: other pages may have been waiting for it. */
  async noteVisited(url: UrlState, settled: SettledUrl): Promise<void> {
    await this.parts.canonicalPages.reconsiderAfter(url, settled);
    await this.parts.troubles.noteSettled(url);
  }

  /** To be called when hosts have been taken over from another node: what is known about them is read again. */
  forgetHosts(): void {
    const { troubles, claims, endless } = this.parts;
    troubles.reset();
    claims.reset();
    endless.reset();
  }
}
