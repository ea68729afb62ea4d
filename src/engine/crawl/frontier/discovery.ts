/**
 * Takes links into the frontier in batches: known URLs keep their state, new ones are stored and offered to their
 * crawler. Limits what one host can add, because endless calendars and session ids look like new pages forever.
 */

import { BoundedMap } from '../../../domain/bounded-map.js';
import type { TrapDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { FrontierStore, NewUrl } from '../../ports/frontier-store.js';
import { Batcher } from '../../support/batcher.js';

const MAX_LINKS_PER_CALL = 5_000;
const MAX_HOSTS = 20_000;
const MAX_PATHS = 50_000;
/** A limit may be exceeded by this many URLs, so that a host near its limit does not cost a store call for each link. */
const SLACK = 32;
/**
 * Once a path has grown by this fraction of its limit, all its URLs are counted in the store once, including those
 * found before the start.
 */
const RECOUNT_THRESHOLD = 1 / 64;

export interface DiscoveryTarget {
  readonly traps: TrapDefinition;
  admit(states: readonly UrlState[]): void;
  refuse(url: NewUrl, reason: Reason): void;
}

export class Discovery {
  private readonly batcher: Batcher<NewUrl[], UrlState[]>;
  private readonly hostSizes = new BoundedMap<string, number>(MAX_HOSTS);
  private readonly queryVariants = new BoundedMap<string, QueryVariants>(MAX_PATHS);

  constructor(
    private readonly store: Pick<FrontierStore, 'discover' | 'count'>,
    private readonly findTarget: (crawler: string) => DiscoveryTarget | undefined,
  ) {
    this.batcher = new Batcher((lists) => this.discoverLists(lists), MAX_LINKS_PER_CALL);
  }

  /** Resolves with the new links once all are stored. */
  async discover(urls: NewUrl[]): Promise<UrlState[]> {
    return urls.length === 0 ? [] : this.batcher.add(urls);
  }

  private async discoverLists(lists: NewUrl[][]): Promise<UrlState[][]> {
    const inserted: UrlState[] = [];
    const batch = new PendingUrls();
    for (const url of lists.flat()) {
      let room = await this.checkRoom(url, batch);
      if (room === 'unknown') {
        inserted.push(...(await this.insert(batch.takeAll())));
        room = await this.checkRoom(url, batch);
      }
      if (room === 'some') batch.add(url);
    }
    inserted.push(...(await this.insert(batch.takeAll())));
    const byUrl = new Map(inserted.map((state) => [getUrlIdentity(state), state]));
    return lists.map((list) => [...new Set(list.map(getUrlIdentity))].flatMap((url) => byUrl.get(url) ?? []));
  }

  private async insert(urls: NewUrl[]): Promise<UrlState[]> {
    if (urls.length === 0) return [];
    const inserted = await this.store.discover(urls);
    const byCrawler = new Map<string, UrlState[]>();
    for (const state of inserted) {
      this.recordUrl(state);
      const list = byCrawler.get(state.crawler);
      if (list) list.push(state);
      else byCrawler.set(state.crawler, [state]);
    }
    for (const [crawler, states] of byCrawler) this.findTarget(crawler)?.admit(states);
    return inserted;
  }

  /** Checks whether there is room for one more URL; `unknown` until it is known how many URLs of the batch are new. */
  private async checkRoom(url: NewUrl, batch: PendingUrls): Promise<'some' | 'none' | 'unknown'> {
    const target = this.findTarget(url.crawler);
    // The crawler was removed while the page was in flight: the links wait in the store until it is back.
    if (!target) return 'some';
    const { maxUrlsPerHost, maxQueryVariants } = target.traps;
    const hostCapacity = maxUrlsPerHost - (await this.countHostUrls(url));
    const path = getPathIdentity(url);
    const pathCapacity =
      path === ''
        ? Number.POSITIVE_INFINITY
        : maxQueryVariants - (await this.countVariants(url, path, maxQueryVariants));
    if (hostCapacity <= 0 || pathCapacity <= 0) {
      target.refuse(url, hostCapacity <= 0 ? 'trap-host-size' : 'trap-query-variants');
      return 'none';
    }
    const isFull =
      batch.getCount(getHostIdentity(url)) >= Math.max(hostCapacity, SLACK) ||
      (path !== '' && batch.getCount(path) >= Math.max(pathCapacity, SLACK));
    return isFull ? 'unknown' : 'some';
  }

  private async countHostUrls(url: NewUrl): Promise<number> {
    const key = getHostIdentity(url);
    let size = this.hostSizes.get(key);
    if (size === undefined) {
      size = await this.store.count({ crawler: url.crawler, hostKey: url.hostKey });
      this.hostSizes.set(key, size);
    }
    return size;
  }

  private async countVariants(url: NewUrl, path: string, limit: number): Promise<number> {
    const variants = this.queryVariants.get(path);
    if (variants === undefined || variants.complete || variants.count < limit * RECOUNT_THRESHOLD)
      return variants?.count ?? 0;
    if ((await this.countHostUrls(url)) < limit) return variants.count;
    variants.complete = true;
    const { crawler, hostKey } = url;
    const prefix = url.url.slice(0, url.url.indexOf('?') + 1);
    variants.count = await this.store.count({ crawler, hostKey, prefix });
    return variants.count;
  }

  private recordUrl(state: UrlState): void {
    const key = getHostIdentity(state);
    this.hostSizes.set(key, (this.hostSizes.get(key) ?? 0) + 1);
    if (!state.url.includes('?')) return;
    const path = getPathIdentity(state);
    const variants = this.queryVariants.get(path) ?? { count: 0, complete: false };
    variants.count++;
    this.queryVariants.set(path, variants);
  }
}

/** The number of URLs that differ only in their query. */
interface QueryVariants {
  count: number;
  /** True if URLs found before the start are counted as well. */
  complete: boolean;
}

/** URLs that may be new, counted by host and by path. */
class PendingUrls {
  private urls: NewUrl[] = [];
  private counts = new Map<string, number>();

  add(url: NewUrl): void {
    this.urls.push(url);
    for (const key of [getHostIdentity(url), getPathIdentity(url)]) this.counts.set(key, this.getCount(key) + 1);
  }

  getCount(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  takeAll(): NewUrl[] {
    const { urls } = this;
    this.urls = [];
    this.counts = new Map();
    return urls;
  }
}

const getUrlIdentity = (url: { crawler: string; url: string }): string => `${url.crawler} ${url.url}`;
const getHostIdentity = (url: { crawler: string; hostKey: string }): string => `${url.crawler} ${url.hostKey}`;

/** The URL up to its query string; empty if it has none. */
const getPathIdentity = (url: { crawler: string; url: string }): string => {
  const query = url.url.indexOf('?');
  return query < 0 ? '' : `${url.crawler} ${url.url.slice(0, query)}`;
};
