/**
 * A sink has one document for each URL, and several crawlers may push it: if one of them deletes it, it is gone for the
 * others, too.
 */
import { createVerificationChanges } from '../../../domain/crawl/commands.js';
import { POLICY_STATUSES, type UrlState } from '../../../domain/crawl/url-state.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';

/** The part of another crawler on this server that this module uses. */
interface OtherCrawler {
  readonly name: string;
  readonly context: Pick<CrawlContext, 'definition'>;
  /** Has the URL visited again; false if it is in flight. */
  applyCorrection(url: UrlState, changes: ReturnType<typeof createVerificationChanges>): Promise<boolean>;
}

export interface SharedDocumentsServices {
  readonly store: Pick<UrlCatalog, 'find'>;
  readonly clock: Clock;
  readonly inDoubt: Pick<InDoubtDeliveries, 'add'>;
  readonly crawlers: { list(): Iterable<OtherCrawler> };
}

export class SharedDocuments {
  constructor(private readonly services: SharedDocumentsServices) {}

  /** Whether the URL is known to another crawler that pushes to one of these sinks and whose rules accept it. */
  async belongsToAnother(state: UrlState, sinks: readonly string[]): Promise<boolean> {
    return (await this.findOthers(state, sinks)).length > 0;
  }

  /**
   * Must be called before the document is deleted. Other crawlers that have it visit its page at once and order what
   * they find.
   */
  async notifyOtherOwners(state: Pick<UrlState, 'crawler' | 'url'>, sinks: readonly string[]): Promise<void> {
    const { clock, inDoubt } = this.services;
    for (const { crawler, theirs } of await this.findOthers(state, sinks)) {
      if (theirs.stamp === undefined) continue;
      if (!(await crawler.applyCorrection(theirs, createVerificationChanges(clock.now())))) inDoubt.add(theirs.id);
    }
  }

  private async findOthers(
    { crawler: ownName, url }: Pick<UrlState, 'crawler' | 'url'>,
    sinks: readonly string[],
  ): Promise<{ crawler: OtherCrawler; theirs: UrlState }[]> {
    const found: { crawler: OtherCrawler; theirs: UrlState }[] = [];
    for (const crawler of this.services.crawlers.list()) {
      if (crawler.name === ownName || !crawler.context.definition.pushTo.some((sink) => sinks.includes(sink))) continue;
      const theirs = await this.services.store.find(crawler.name, url);
      if (theirs && theirs.status !== 'removed' && !POLICY_STATUSES.has(theirs.status)) found.push({ crawler, theirs });
    }
    return found;
  }
}
