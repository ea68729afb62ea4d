/**
 * Reconsiders pages that gave way to their canonical URL before its first visit, or to a document with their text: if
 * that URL has no document, or another text, they are visited again at once. Each of the two visits checks after it is settled, so that neither misses the
 * other.
 */
import { hasSameText } from '../../../domain/content/exact-duplicates.js';
import { judgeCanonical } from '../../../domain/crawl/canonical.js';
import { EXACT_DUPLICATE, hasGivenWay } from '../../../domain/crawl/disposition.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { Log } from '../../ports/log.js';
import type { SettledUrl } from '../outcome/decision.js';
import type { UrlDecisions } from '../outcome/url-decisions.js';

/** Maximum number of pages that are visited again at once for one URL; further ones wait for their next refresh. */
const MAX_PAGES = 100;

export class CanonicalPages {
  constructor(
    private readonly crawler: string,
    private readonly services: {
      readonly store: Pick<UrlCatalog, 'find' | 'findPagesThatGaveWayTo'>;
      readonly log: Log;
    },
    /** Whether the URL's document is on its way into the index. */
    private readonly isEntering: (id: UrlId) => boolean,
    private readonly decisions: Pick<UrlDecisions, 'decide'>,
  ) {}

  /**
   * To be called after the URL's visit, or a decision about it without one, is settled. If this fails, the pages are
   * reconsidered at their next refresh.
   */
  reconsiderAfter({ url, stamp }: UrlState, settled: SettledUrl): Promise<void> | undefined {
    const { status, reason, removed, document } = settled;
    // Only a change of the status can mean that the URL does not have a document.
    const mayHaveNone = removed || (status !== undefined && status !== 'indexed');
    const hasNewText = stamp && document && !hasSameText(stamp, document.stamp);
    return mayHaveNone || hasNewText ? this.reconsiderPages(url, reason, mayHaveNone) : undefined;
  }

  private async reconsiderPages(url: string, reason: Reason | undefined, mayHaveNone: boolean): Promise<void> {
    try {
      const { store } = this.services;
      if (reason !== undefined && hasGivenWay(reason)) await this.reconsider(await store.find(this.crawler, url));
      for (const page of await store.findPagesThatGaveWayTo(this.crawler, url, MAX_PAGES))
        if (mayHaveNone) await this.reconsider(page);
        else if (page.reason === EXACT_DUPLICATE) await this.visitAgain(page);
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

  private visitAgain(page: UrlState): Promise<unknown> {
    return this.decisions.decide(page, { do: 'index-after-all' });
  }

  private async reconsider(page: UrlState | undefined): Promise<void> {
    if (page?.canonical === undefined || !hasGivenWay(page.reason)) return;
    const canonical = await this.services.store.find(this.crawler, page.canonical);
    if (canonical && this.isEntering(canonical.id)) return;
    if (judgeCanonical(page, canonical) === 'stays') await this.visitAgain(page);
  }
}
