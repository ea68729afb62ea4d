/**
 * Takes links into the frontier in batches: known URLs keep their state, new ones are stored and offered to their
 * crawler. Limits what one host can add, because endless calendars and session ids look like new pages forever.
 */

import type { TrapDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { FrontierStore, NewUrl } from '../../ports/frontier-store.js';
import { Batcher } from '../../support/batcher.js';

const LINKS_PER_CALL = 5_000;
const HOSTS_REMEMBERED = 20_000;
const PATHS_REMEMBERED = 50_000;
/** A limit may be exceeded by this many URLs, so that a host near its limit does not cost a store call for each link. */
const SLACK = 32;
/**
 * Once a path has grown by this fraction of its limit, the store is asked once how many URLs it had before the start.
 */
const RECOUNT_AT = 1 / 64;

export interface DiscoveryTarget {
  readonly traps: TrapDefinition;
  admit(states: readonly UrlState[]): void;
  refuse(url: NewUrl, reason: Reason): void;
}

export class Discovery {
  private readonly batcher: Batcher<NewUrl[], UrlState[]>;
  private readonly hostSizes = new Map<string, number>();
  private readonly queryVariants = new Map<string, QueryVariants>();

  constructor(
    private readonly store: Pick<FrontierStore, 'discover' | 'count'>,
    private readonly findTarget: (crawler: string) => DiscoveryTarget | undefined,
  ) {
    this.batcher = new Batcher((lists) => this.discoverLists(lists), LINKS_PER_CALL);
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
    const byUrl = new Map(inserted.map((state) => [identityOf(state), state]));
    return lists.map((list) => [...new Set(list.map(identityOf))].flatMap((url) => byUrl.get(url) ?? []));
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

  /** Whether there is room for one more URL; unknown while it is not known how many URLs of the batch are new. */
  private async checkRoom(url: NewUrl, batch: PendingUrls): Promise<'some' | 'none' | 'unknown'> {
    const target = this.findTarget(url.crawler);
    // The crawler was removed while the page was in flight: the links wait in the store until it is back.
    if (!target) return 'some';
    const { maxUrlsPerHost, maxQueryVariants } = target.traps;
    const onHost = maxUrlsPerHost - (await this.countHostUrls(url));
    const path = pathOf(url);
    const ofPath =
      path === ''
        ? Number.POSITIVE_INFINITY
        : maxQueryVariants - (await this.countVariants(url, path, maxQueryVariants));
    if (onHost <= 0 || ofPath <= 0) {
      target.refuse(url, onHost <= 0 ? 'trap-host-size' : 'trap-query-variants');
      return 'none';
    }
    const full =
      batch.getCount(hostOf(url)) >= Math.max(onHost, SLACK) ||
      (path !== '' && batch.getCount(path) >= Math.max(ofPath, SLACK));
    return full ? 'unknown' : 'some';
  }

  private async countHostUrls(url: NewUrl): Promise<number> {
    const key = hostOf(url);
    let size = this.hostSizes.get(key);
    if (size === undefined) {
      size = await this.store.count({ crawler: url.crawler, hostKey: url.hostKey });
      setBounded(this.hostSizes, key, size, HOSTS_REMEMBERED);
    }
    return size;
  }

  private async countVariants(url: NewUrl, path: string, limit: number): Promise<number> {
    const variants = this.queryVariants.get(path);
    if (variants === undefined || variants.complete || variants.count < limit * RECOUNT_AT) return variants?.count ?? 0;
    if ((await this.countHostUrls(url)) < limit) return variants.count;
    variants.complete = true;
    const { crawler, hostKey } = url;
    const prefix = url.url.slice(0, url.url.indexOf('?') + 1);
    variants.count = await this.store.count({ crawler, hostKey, prefix });
    return variants.count;
  }

  private recordUrl(state: UrlState): void {
    const key = hostOf(state);
    this.hostSizes.set(key, (this.hostSizes.get(key) ?? 0) + 1);
    if (!state.url.includes('?')) return;
    const path = pathOf(state);
    const variants = this.queryVariants.get(path) ?? { count: 0, complete: false };
    variants.count++;
    setBounded(this.queryVariants, path, variants, PATHS_REMEMBERED);
  }
}

/** How many URLs differ only in their query. */
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
    for (const key of [hostOf(url), pathOf(url)]) this.counts.set(key, this.getCount(key) + 1);
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

const identityOf = (url: { crawler: string; url: string }): string => `${url.crawler} ${url.url}`;
const hostOf = (url: { crawler: string; hostKey: string }): string => `${url.crawler} ${url.hostKey}`;

/** The URL up to its query string; empty if it has none. */
const pathOf = (url: { crawler: string; url: string }): string => {
  const query = url.url.indexOf('?');
  return query < 0 ? '' : `${url.crawler} ${url.url.slice(0, query)}`;
};

function setBounded<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
