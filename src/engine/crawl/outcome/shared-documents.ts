/**
 * A sink has one document for each URL, and several crawlers may push it: if one of them deletes it, it is gone for the
 * others, too.
 */
import { createVerificationChanges } from '../../../domain/crawl/commands.js';
import { POLICY_STATUSES, type UrlState } from '../../../domain/crawl/url-state.js';
import { NEVER } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, createLikelyLink } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import { toUnlinkedUrl } from './unlinked-urls.js';

/** The part of another crawler on this server that this module uses. */
interface OtherCrawler {
  readonly name: string;
  readonly context: CrawlContext;
  isInFlight(url: UrlState): boolean;
  /** Has the URL visited again; false if it is in flight. */
  applyCorrection(url: UrlState, changes: ReturnType<typeof createVerificationChanges>): Promise<boolean>;
}

export interface SharedDocumentsServices {
  readonly store: Pick<FrontierStore, 'find' | 'discover'>;
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
   * Must be called before the document is deleted. Other crawlers that have it, or are about to, visit its page at once and
   * order what they find.
   * @returns to be called when the sinks have answered: what was in flight may have been delivered before the deletion
   */
  async notifyOtherOwners(
    state: Pick<UrlState, 'crawler' | 'url'>,
    sinks: readonly string[],
  ): Promise<() => Promise<void>> {
    const inFlight = new Set<OtherCrawler>();
    const notify = async (isConcerned: (crawler: OtherCrawler) => boolean): Promise<void> => {
      for (const { crawler, theirs } of await this.findOthers(state, sinks)) {
        const isInFlight = crawler.isInFlight(theirs);
        if (!isConcerned(crawler) || !(isInFlight || theirs.stamp !== undefined)) continue;
        if (isInFlight) inFlight.add(crawler);
        await this.verify(crawler, theirs);
      }
    };
    await notify(() => true);
    return async () => {
      if (inFlight.size > 0) await notify((crawler) => inFlight.has(crawler));
    };
  }

  /**
   * Must be called before the document is left to other crawlers. They might never find the page by a link, and its document
   * would stay in the index when it is gone.
   */
  async leaveToOthers({ crawler: ownName, url: href }: UrlState, sinks: readonly string[]): Promise<void> {
    const { store } = this.services;
    const url = toCrawlUrl(href);
    for (const crawler of this.listOthers(ownName, sinks)) {
      const { context, name } = crawler;
      const { accepted, effects, needsAddress } = context.policy.judge(createLikelyLink(context, url));
      // Its rules may exclude the address of the host, and a verification would then delete what was to be kept.
      if (!accepted || needsAddress || !effects.index) continue;
      const [added] = await store.discover([toUnlinkedUrl(context, url, NEVER, 'configuration-changed')]);
      const theirs = added ?? (await store.find(name, href));
      if (theirs && theirs.stamp === undefined) await this.verify(crawler, theirs);
    }
  }

  private async verify(crawler: OtherCrawler, url: UrlState): Promise<void> {
    const changes = createVerificationChanges(this.services.clock.now());
    if (!(await crawler.applyCorrection(url, changes))) this.services.inDoubt.add(url.id);
  }

  private listOthers(ownName: string, sinks: readonly string[]): OtherCrawler[] {
    return [...this.services.crawlers.list()].filter(
      ({ name, context }) => name !== ownName && context.definition.pushTo.some((sink) => sinks.includes(sink)),
    );
  }

  private async findOthers(
    { crawler: ownName, url }: Pick<UrlState, 'crawler' | 'url'>,
    sinks: readonly string[],
  ): Promise<{ crawler: OtherCrawler; theirs: UrlState }[]> {
    const found: { crawler: OtherCrawler; theirs: UrlState }[] = [];
    for (const crawler of this.listOthers(ownName, sinks)) {
      const theirs = await this.services.store.find(crawler.name, url);
      if (theirs && theirs.status !== 'removed' && !POLICY_STATUSES.has(theirs.status)) found.push({ crawler, theirs });
    }
    return found;
  }
}
