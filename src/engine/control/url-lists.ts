import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { PushDocument } from '../../domain/push/order.js';
import { after, before, type Duration, days, hours, type Instant, seconds } from '../../domain/time/units.js';
import type { ClusterView } from '../cluster/cluster-view.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { RefusedView } from '../crawl/frontier/refused-links.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { Clock } from '../ports/clock.js';
import type { QueuedUrl, SearchStep, SurveyStep, UrlCatalog, UrlFilter } from '../ports/frontier-store.js';
import type { ErrorClassView, ErrorHostView, SurveyView } from '../views/url-views.js';

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

const RESULT_LIFETIME = seconds(60);
const AGES: readonly Duration[] = [hours(1), hours(6), days(1), days(3), days(7), days(14), days(30), days(90)];

type Reason = SurveyStep['reasons'][number];

interface SurveyServices {
  readonly store: Pick<UrlCatalog, 'survey'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly crawlers: Pick<Crawlers, 'get'>;
}

/**
 * Reports how many of the URLs known to a crawler have been crawled and indexed, which are left out and why, and how
 * old the indexed documents are. A survey reads all stored URLs step by step, so the result is kept for a minute and
 * concurrent requests share it.
 */
export class Surveys {
  private readonly latest = new Map<string, { readonly until: Instant; readonly view: Promise<SurveyView> }>();

  constructor(private readonly services: SurveyServices) {}

  /** The result may be up to a minute old. */
  async get(name: string): Promise<SurveyView> {
    const { context } = this.services.crawlers.get(name);
    const now = this.services.clock.now();
    const { smart, maximumAge } = context.definition.refresh;
    const limit = smart ? maximumAge : undefined;
    const key = `${name} ${limit}`;
    const cached = this.latest.get(key);
    if (cached && cached.until > now) return cached.view;
    for (const [cachedKey, { until }] of this.latest) if (until <= now) this.latest.delete(cachedKey);
    const view = this.survey(name, now, limit);
    this.latest.set(key, { until: after(now, RESULT_LIFETIME), view });
    view.catch(() => this.latest.delete(key));
    return view;
  }

  /** One age class begins at the maximum age, so that the number of overdue documents is exact. */
  private async survey(crawler: string, now: Instant, maximumAge: Duration | undefined): Promise<SurveyView> {
    const bounds = [...new Set(maximumAge === undefined ? AGES : [...AGES, maximumAge])].sort((a, b) => a - b);
    const since = bounds.map((age) => before(now, age));
    const reasons = new Map<string, Reason>();
    const ages = new Array<number>(bounds.length + 1).fill(0);
    for (let position: number | undefined = 0; position !== undefined; ) {
      const step: SurveyStep = await this.services.store.survey(crawler, since, position);
      for (const row of step.reasons) addReason(reasons, row);
      for (const [i, documents] of step.ages.entries()) ages[i]! += documents;
      position = step.next;
    }
    const classes = ages.map((documents, i) => ({ upTo: bounds[i], documents }));
    return { at: now, reasons: [...reasons.values()].sort((a, b) => b.urls - a.urls), ages: classes, maximumAge };
  }
}

function addReason(reasons: Map<string, Reason>, row: Reason): void {
  const key = `${row.status} ${row.reason}`;
  const existing = reasons.get(key);
  reasons.set(
    key,
    existing ? { ...row, urls: existing.urls + row.urls, indexed: existing.indexed + row.indexed } : row,
  );
}
