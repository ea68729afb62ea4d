/**
 * Enforces what crawlers may use (`cw:Quota`). Pages in flight when a limit is reached are still finished, so it may be
 * exceeded by as many. What several nodes use is added up every half minute.
 */
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import {
  covers,
  isDaily,
  listReached,
  QUOTA_LIMITS,
  type QuotaDefinition,
  type QuotaLimit,
  type QuotaUse,
} from '../../../domain/crawl/quota-definition.js';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { Duration, Instant } from '../../../domain/time/units.js';
import type { Nodes } from '../../ports/nodes.js';
import type { Ports } from '../../ports/ports.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import { Usage } from './usage.js';

/** One limit of a quota, and what has been used of it. */
export interface QuotaView {
  readonly quota: string;
  readonly limit: QuotaLimit;
  /** The crawlers that share it; an empty list means all. */
  readonly crawlers: readonly string[];
  readonly max: number;
  readonly used: number;
  readonly reached: boolean;
  /** When it begins anew, if it has been reached and is a limit per day. */
  readonly until?: Instant;
}

interface QuotaServices extends Pick<Ports, 'store' | 'clock' | 'log'> {
  readonly events: Pick<CrawlEvents, 'emit'>;
  readonly nodes: Pick<Nodes, 'name'>;
}

/** What is stored of one crawler: as counted last, and what has come since. */
interface Stored {
  urls: number;
  documents: number;
  /** Pages that are becoming documents. */
  readonly entering: Set<UrlId>;
}

export class Quotas {
  readonly usage: Usage;
  private definitions: readonly QuotaDefinition[] = [];
  /** The quotas that cover a crawler, by its name. */
  private readonly byCrawler = new Map<string, readonly QuotaDefinition[]>();
  private names: readonly string[] = [];
  private readonly stored = new Map<string, Stored>();
  /** Quotas and limits that have been reached, as reported. */
  private readonly reached = new Set<string>();
  private cancelTimer: (() => void) | undefined;
  /** Called when a limit per day begins anew. */
  onNewDay: () => void = () => undefined;

  constructor(private readonly services: QuotaServices) {
    this.usage = new Usage(services);
    this.usage.onSaved = () => this.refresh();
  }

  async configure({ quotas = [], crawlers }: ServerDefinition): Promise<void> {
    this.definitions = quotas;
    this.names = crawlers.map(({ name }) => name);
    this.byCrawler.clear();
    for (const name of this.names) {
      const covering = quotas.filter((quota) => covers(quota, name));
      if (covering.length > 0) this.byCrawler.set(name, covering);
    }
    for (const name of this.stored.keys()) if (!this.byCrawler.has(name)) this.stored.delete(name);
    for (const key of this.reached)
      if (!quotas.some(({ name, limits }) => QUOTA_LIMITS.some((limit) => limits[limit] && key === toKey(name, limit))))
        this.reached.delete(key);
    await this.refresh();
  }

  /** Counts a visit; it may be the last one for today. */
  noteVisit(crawler: string, used: { readonly bytes: number; readonly rendering: Duration }): void {
    this.usage.note(crawler, used);
    this.report(this.byCrawler.get(crawler) ?? []);
  }

  /** Counts what is stored of a crawler, if a quota covers it. */
  async count(crawler: string): Promise<void> {
    if (!this.byCrawler.has(crawler)) return;
    const { byStatus, indexed } = await this.services.store.countByStatus(crawler);
    const urls = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
    const entering = this.stored.get(crawler)?.entering ?? new Set();
    this.stored.set(crawler, { urls, documents: indexed, entering });
  }

  noteNewUrls(crawler: string, count: number): void {
    const stored = this.stored.get(crawler);
    if (stored) stored.urls += count;
  }

  /** Reserves room for a page that is about to become a document; returns the quota that has none left. */
  admitDocument(crawler: string, id: UrlId): string | undefined {
    const full = this.findReached(crawler, 'documents');
    if (!full) this.stored.get(crawler)?.entering.add(id);
    return full?.name;
  }

  /**
   * To be called when the visit of a page has ended, whatever came of it.
   * @param isSettled false: the page did not become a document after all
   */
  noteVisitEnd(crawler: string, id: UrlId, isSettled: boolean): void {
    const stored = this.stored.get(crawler);
    if (stored?.entering.delete(id) && isSettled) stored.documents++;
  }

  /** The quota of the crawler whose limit has been reached. */
  findReached(crawler: string, limit: QuotaLimit): QuotaDefinition | undefined {
    return this.byCrawler
      .get(crawler)
      ?.find((quota) => quota.limits[limit] !== undefined && this.measure(quota)[limit] >= quota.limits[limit]);
  }

  get endOfToday(): Instant {
    return this.usage.endOfToday;
  }

  /** Whether a new URL of the crawler may be stored besides this many that are about to be. */
  hasRoomForUrls(crawler: string, pending: number): boolean {
    const quotas = this.byCrawler.get(crawler);
    return !quotas?.some((quota) => this.measure(quota).urls + pending >= (quota.limits.urls ?? Infinity));
  }

  list(): QuotaView[] {
    return this.definitions.flatMap((quota) => {
      const use = this.measure(quota);
      const reached = listReached(quota, use);
      return QUOTA_LIMITS.flatMap((limit) => {
        const max = quota.limits[limit];
        if (max === undefined) return [];
        const isReached = reached.includes(limit);
        return {
          ...{ quota: quota.name, crawlers: quota.crawlers, limit, max, used: use[limit], reached: isReached },
          ...(isReached && isDaily(limit) ? { until: this.endOfToday } : {}),
        };
      });
    });
  }

  close(): void {
    this.cancelTimer?.();
  }

  private measure(quota: QuotaDefinition): QuotaUse {
    const use = { urls: 0, documents: 0, bytes: 0, rendering: 0 };
    for (const name of quota.crawlers.length === 0 ? this.names : quota.crawlers) {
      const { bytes, rendering } = this.usage.getToday(name);
      const stored = this.stored.get(name);
      use.bytes += bytes;
      use.rendering += rendering;
      use.urls += stored?.urls ?? 0;
      use.documents += (stored?.documents ?? 0) + (stored?.entering.size ?? 0);
    }
    return use;
  }

  /** Counts again what is stored: URLs and documents have gone, too. */
  private async refresh(): Promise<void> {
    for (const name of this.byCrawler.keys()) await this.count(name);
    this.report(this.definitions);
  }

  private report(quotas: readonly QuotaDefinition[]): void {
    for (const quota of quotas) {
      const reached = listReached(quota, this.measure(quota));
      for (const limit of QUOTA_LIMITS) {
        const key = toKey(quota.name, limit);
        if (!reached.includes(limit)) this.reached.delete(key);
        else if (!this.reached.has(key)) this.noteReached(quota, limit);
      }
    }
  }

  private noteReached(quota: QuotaDefinition, limit: QuotaLimit): void {
    const { clock, log, events } = this.services;
    this.reached.add(toKey(quota.name, limit));
    const until = isDaily(limit) ? this.endOfToday : undefined;
    const max = quota.limits[limit]!;
    log.warn('a quota has been reached', { quota: quota.name, limit, max, until });
    events.emit({ type: 'quota', quota: quota.name, limit, max, until });
    if (until === undefined) return;
    this.cancelTimer?.();
    this.cancelTimer = clock.at(until, () => {
      this.report(this.definitions);
      this.onNewDay();
    });
  }
}

const toKey = (quota: string, limit: QuotaLimit): string => `${limit} ${quota}`;
