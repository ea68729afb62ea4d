/**
 * Reconsiders pages that gave way to their canonical URL before its first visit: if that URL produces no document, they
 * are visited again at once and indexed. Each of the two visits checks after it is settled, so that neither misses the
 * other.
 */
import { judgeCanonical } from '../../../domain/crawl/canonical.js';
import { CANONICAL_ELSEWHERE } from '../../../domain/crawl/disposition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { SettledUrl } from '../outcome/decision.js';

export class CanonicalPages {
  constructor(
    private readonly crawler: string,
    private readonly services: {
      readonly store: Pick<UrlCatalog, 'find' | 'findPagesThatGaveWayTo'>;
      readonly log: Log;
    },
    private readonly visitAgain: (page: UrlState) => Promise<unknown>,
  ) {}

  /** To be called after the URL's visit is settled. If this fails, the pages are reconsidered at their next refresh. */
  async reconsiderAfter({ url }: UrlState, { status, reason }: SettledUrl): Promise<void> {
    // Only a visit that changes the status can reveal that there is no document.
    if (status === undefined || status === 'indexed') return;
    try {
      const { store } = this.services;
      if (reason === CANONICAL_ELSEWHERE) await this.reconsider(await store.find(this.crawler, url));
      for (const page of await store.findPagesThatGaveWayTo(this.crawler, url)) await this.reconsider(page);
    } catch (error) {
      this.services.log.warn(
        'could not reconsider pages that gave way to a canonical URL, so they wait for their next refresh',
        {
          crawler: this.crawler,
          url,
          error: String(error),
        },
      );
    }
  }

  private async reconsider(page: UrlState | undefined): Promise<void> {
    if (page?.canonical === undefined || page.reason !== CANONICAL_ELSEWHERE) return;
    const canonical = await this.services.store.find(this.crawler, page.canonical);
    if (judgeCanonical(page, canonical) === 'stays') await this.visitAgain(page);
  }
}
