import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { PushDocument } from '../../domain/push/order.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { RefusedView } from '../crawl/frontier/refused-links.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { Clock } from '../ports/clock.js';
import type { QueuedUrl, SearchStep, UrlCatalog, UrlFilter } from '../ports/frontier-store.js';
import type { ErrorClassView, ErrorHostView } from '../views/url-views.js';

interface ListServices {
  readonly store: Pick<UrlCatalog, 'search' | 'count' | 'findOldest' | 'countFailing' | 'listFailingHosts'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly crawlers: Pick<Crawlers, 'getStored'>;
  readonly cluster: Pick<ClusterView, 'listRefusedLinks'>;
  readonly kept: Pick<KeptDocuments, 'find'>;
}

/** Finds and counts the URLs of crawlers. */
export class UrlLists {
  constructor(private readonly services: ListServices) {}

  /** Returns the stored URLs after an id that one step of the search finds. */
  async search(filter: UrlFilter & { crawler: string }, after: number, limit: number): Promise<SearchStep> {
    const { store, crawlers } = this.services;
    return store.search({ ...filter, crawler: crawlers.getStored(filter.crawler).name }, after, limit);
  }

  /** See UrlCatalog.count. */
  count(filter: UrlFilter, signal?: AbortSignal): Promise<number> {
    return this.services.store.count(filter, signal);
  }

  /** See UrlCatalog.findOldest. */
  async findOldestQueued(crawler: string): Promise<ReadonlyMap<SourceNumber, QueuedUrl>> {
    return this.services.store.findOldest(this.services.crawlers.getStored(crawler).name);
  }

  /** URLs in error by error code, most frequent first. */
  async countErrorsByClass(crawler: string, hostKey?: string): Promise<ErrorClassView[]> {
    const { store, clock, crawlers } = this.services;
    return store.countFailing(crawlers.getStored(crawler).name, clock.now(), hostKey);
  }

  /** Hosts with an error code, those with the most URLs first; `after` is the last host of the previous page. */
  async listFailingHosts(
    crawler: string,
    code: string,
    after: { readonly urls: number; readonly hostKey: string } | undefined,
    limit: number,
  ): Promise<ErrorHostView[]> {
    const { store, clock, crawlers } = this.services;
    return store.listFailingHosts(crawlers.getStored(crawler).name, code, clock.now(), after, limit);
  }

  async listRefusedLinks(crawler: string): Promise<RefusedView[]> {
    return this.services.cluster.listRefusedLinks(this.services.crawlers.getStored(crawler));
  }

  /** The document of a URL as a sink of the crawler keeps it; undefined if no sink returns it. */
  async findKeptDocument(crawler: string, url: string): Promise<PushDocument | undefined> {
    const { context } = this.services.crawlers.getStored(crawler);
    const href = context.canonicalize(url)?.href ?? url;
    for (const sink of context.definition.pushTo) {
      const kept = await this.services.kept.find(sink, href);
      if (kept?.crawler === crawler) return kept.document;
    }
    return undefined;
  }
}
