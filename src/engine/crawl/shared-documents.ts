/**
 * A sink has one document of each URL, and several crawlers may push it: what one of them deletes is gone for the others too.
 */
import { OUTSIDE, type UrlState } from '../../domain/crawl/url-state.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { Crawler } from './crawler.js';
import { type Doubts, toVerify } from './doubts.js';

interface SharedDocumentsServices {
  readonly store: Pick<FrontierStore, 'find'>;
  readonly clock: Clock;
  readonly doubts: Pick<Doubts, 'add'>;
  crawlers(): Iterable<Crawler>;
}

export class SharedDocuments {
  constructor(private readonly services: SharedDocumentsServices) {}

  /** Is the URL known to another crawler of one of these sinks, whose rules let it in? */
  async isAnothers(state: UrlState, sinks: readonly string[]): Promise<boolean> {
    return (await this.others(state, sinks)).length > 0;
  }

  /** To be called before the document is deleted. Others that have it visit its page at once, and order what it answers then. */
  async giveUp(state: UrlState, sinks: readonly string[]): Promise<void> {
    const { clock, doubts } = this.services;
    for (const { crawler, theirs } of await this.others(state, sinks)) {
      if (theirs.stamp === undefined) continue;
      if (!(await crawler.correct(theirs, toVerify(clock.now())))) doubts.add(theirs.id);
    }
  }

  private async others(
    { crawler: own, url }: UrlState,
    sinks: readonly string[],
  ): Promise<{ crawler: Crawler; theirs: UrlState }[]> {
    const found: { crawler: Crawler; theirs: UrlState }[] = [];
    for (const crawler of this.services.crawlers()) {
      if (crawler.name === own || !crawler.context.definition.pushTo.some((sink) => sinks.includes(sink))) continue;
      const theirs = await this.services.store.find(crawler.name, url);
      if (theirs && !OUTSIDE.has(theirs.status)) found.push({ crawler, theirs });
    }
    return found;
  }
}
