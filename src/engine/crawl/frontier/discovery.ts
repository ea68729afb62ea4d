/**
 * Takes links into the frontier in batches: known URLs keep their state, new ones are stored and offered to their
 * crawler. Limits what one host can add, because endless calendars and session ids look like new pages forever.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { TrapDefinition } from '../../../domain/crawl/definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { FrontierStore, NewUrl } from '../../ports/frontier-store.js';
import { Batcher } from '../../support/batcher.js';
import { FEW, getStrangersLimit, OWN_SOURCE, STRANGERS_SOURCE, type Strangers } from '../hosts/strangers.js';
import type { Quotas } from '../load/quotas.js';

const MAX_LINKS_PER_CALL = 5_000;
const MAX_HOSTS = 20_000;
const MAX_PATHS = 50_000;
const MAX_PAGES = 50_000;
/** What one page may name of its own host in any case: long lists of links are common, lists of everything are not. */
const MIN_PER_PAGE = 5_000;
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
  /** Queues a URL that waits for its first visit again, in the source that it has now. */
  readmit(state: UrlState): void;
  refuse(url: NewUrl, reason: Reason): void;
}

export class Discovery {
  private readonly batcher: Batcher<NewUrl[], UrlState[]>;
  private readonly hostSizes = new BoundedMap<string, HostSize>(MAX_HOSTS);
  /** How many URLs of its own host a page has named first, by page and path. */
  private readonly namedBy = new BoundedMap<string, number>(MAX_PAGES);
  private readonly queryVariants = new BoundedMap<string, QueryVariants>(MAX_PATHS);

  constructor(
    private readonly store: Pick<FrontierStore, 'discover' | 'count' | 'findByKeys' | 'seed'>,
    private readonly findTarget: (crawler: string) => DiscoveryTarget | undefined,
    private readonly strangers: Pick<Strangers, 'areNaming' | 'haveNamed' | 'load' | 'getDomain'>,
    private readonly quotas?: Pick<Quotas, 'hasRoomForUrls' | 'noteNewUrls'>,
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
    for (const found of lists.flat()) {
      const answer = this.strangers.areNaming(found);
      const isStrange = answer !== false && (await answer);
      const source = isStrange ? await this.placeStrange(found, batch) : this.placeOwn(found);
      const placed = { url: source === found.source ? found : { ...found, source }, isStrange };
      let room = await this.checkRoom(placed, batch);
      if (room === 'unknown') {
        inserted.push(...(await this.insert(batch.takeAll())));
        room = await this.checkRoom(placed, batch);
      }
      if (room === 'some') batch.add(placed);
    }
    inserted.push(...(await this.insert(batch.takeAll())));
    if (inserted.length === 0) return lists.map(() => []);
    const byUrl = new Map(inserted.map((state) => [getUrlIdentity(state), state]));
    return lists.map((list) => [...new Set(list.map(getUrlIdentity))].flatMap((url) => byUrl.get(url) ?? []));
  }

  /** The source of a URL that its own host names: not that of strangers, while any of theirs wait there. */
  private placeOwn(url: NewUrl): SourceNumber | undefined {
    return url.source === STRANGERS_SOURCE && this.countWaiting(url) > 0 ? OWN_SOURCE : url.source;
  }

  private countWaiting(url: NewUrl): number {
    return this.hostSizes.get(getHostIdentity(url))?.waiting ?? 0;
  }

  private async placeStrange(url: NewUrl, batch: PendingUrls): Promise<SourceNumber | undefined> {
    if (url.source === undefined) return undefined;
    const host = getHostIdentity(url);
    const { own, strange, missing } = await this.findHostSize(url, true);
    const isUnknown = own === 0 && batch.getCount(host, false) === 0;
    return isUnknown && strange + missing + batch.getCount(host, true) < FEW ? url.source : STRANGERS_SOURCE;
  }

  /** To be called when a URL has been visited for the first time: one that does not exist gives its place back. */
  noteFirstVisit(state: UrlState, reason: Reason | undefined): void {
    const size = this.hostSizes.get(getHostIdentity(state));
    if (size && size.waiting > 0 && this.strangers.haveNamed(state)) size.waiting--;
    if (!isMissing(reason)) return;
    const traps = this.findTarget(state.crawler)?.traps;
    if (!size || !traps || !this.strangers.haveNamed(state)) return;
    // Such URLs stay stored, so strangers get only so many places back.
    if (size.strange === 0 || size.missing >= getStrangersLimit(traps.maxUrlsPerHost)) return;
    size.strange--;
    size.missing++;
    const variants = this.queryVariants.get(getPathIdentity(state));
    if (variants && variants.strange > 0) variants.strange--;
  }

  /** To be called after a URL has been removed from the store: it gives its place back. */
  noteGone(state: UrlState): void {
    const size = this.hostSizes.get(getHostIdentity(state));
    const variants = this.queryVariants.get(getPathIdentity(state));
    const isStrange = this.strangers.haveNamed(state);
    const wasMissing = isStrange && isMissing(state.reason) && size !== undefined && size.missing > 0;
    if (size) size[wasMissing ? 'missing' : isStrange ? 'strange' : 'own']--;
    if (variants && !wasMissing) variants[isStrange ? 'strange' : 'count']--;
    const page = getPageIdentity(state);
    const named = this.namedBy.get(page) ?? 0;
    if (!isStrange && named > 0) this.namedBy.set(page, named - 1);
  }

  private async insert(urls: PlacedUrl[]): Promise<UrlState[]> {
    if (urls.length === 0) return [];
    const inserted = await this.store.discover(urls.map(({ url }) => url));
    await this.takeOverKnown(urls, inserted);
    const byCrawler = new Map<string, UrlState[]>();
    for (const state of inserted) {
      this.recordUrl(state);
      const list = byCrawler.get(state.crawler);
      if (list) list.push(state);
      else byCrawler.set(state.crawler, [state]);
    }
    for (const [crawler, states] of byCrawler) {
      this.quotas?.noteNewUrls(crawler, states.length);
      this.findTarget(crawler)?.admit(states);
    }
    return inserted;
  }

  /** URLs that only strangers have named so far, and the host itself now, are the host's own from now on. */
  private async takeOverKnown(urls: readonly PlacedUrl[], inserted: readonly UrlState[]): Promise<void> {
    const underPressure = urls.flatMap(({ url, isStrange }) =>
      !isStrange && url.source !== undefined && this.countWaiting(url) > 0 ? [url] : [],
    );
    if (underPressure.length === 0) return;
    const newUrls = new Set(inserted.map(getUrlIdentity));
    const byHost = Map.groupBy(
      underPressure.filter((url) => !newUrls.has(getUrlIdentity(url))),
      getHostIdentity,
    );
    for (const [host, hostUrls] of byHost) {
      const { crawler, hostKey } = hostUrls[0]!;
      const keys = BigInt64Array.from(hostUrls, ({ key }) => key);
      const strange = new Set<string>();
      for (const known of await this.store.findByKeys(crawler, hostKey, keys))
        if (isWaiting(known) && (await this.strangers.areNaming(known))) strange.add(known.url);
      const taken = hostUrls.filter(({ url }) => strange.delete(url));
      if (taken.length === 0) continue;
      // At once: the host's queue goes on in the meantime.
      const seeded = await this.store.seed(taken.map((url) => ({ ...url, source: OWN_SOURCE })));
      const size = this.hostSizes.get(host)!;
      size.strange -= taken.length;
      size.waiting = Math.max(0, size.waiting - taken.length);
      size.own += taken.length;
      for (const { state } of seeded) this.findTarget(crawler)?.readmit(state);
    }
  }

  /** Checks whether there is room for one more URL; `unknown` until it is known how many URLs of the batch are new. */
  private async checkRoom({ url, isStrange }: PlacedUrl, batch: PendingUrls): Promise<'some' | 'none' | 'unknown'> {
    const target = this.findTarget(url.crawler);
    // The crawler was removed while the page was in flight: the links wait in the store until it is back.
    if (!target) return 'some';
    if (this.quotas?.hasRoomForUrls(url.crawler, batch.size) === false) {
      if (batch.size > 0) return 'unknown';
      target.refuse(url, 'quota-urls');
      return 'none';
    }
    const { maxUrlsPerHost, maxQueryVariants } = target.traps;
    const found = this.findHostSize(url, isStrange);
    const size = found instanceof Promise ? await found : found;
    const hostCapacity = isStrange ? getStrangersLimit(maxUrlsPerHost) - size.strange : maxUrlsPerHost - size.own;
    const path = getPathIdentity(url);
    const pathCapacity =
      path === ''
        ? Number.POSITIVE_INFINITY
        : isStrange
          ? getStrangersLimit(maxQueryVariants) - (await this.countVariants(url, path, maxQueryVariants)).strange
          : maxQueryVariants - (await this.countVariants(url, path, maxQueryVariants)).count;
    if (hostCapacity <= 0 || pathCapacity <= 0) {
      target.refuse(url, hostCapacity <= 0 ? 'trap-host-size' : 'trap-query-variants');
      return 'none';
    }
    const page = isStrange ? '' : getPageIdentity(url);
    const pageCapacity = getPageLimit(path === '' ? maxUrlsPerHost : maxQueryVariants) - (this.namedBy.get(page) ?? 0);
    if (pageCapacity <= 0) {
      target.refuse(url, path === '' ? 'trap-host-size' : 'trap-query-variants');
      return 'none';
    }
    const slack = isStrange ? 1 : SLACK;
    const isFull =
      batch.size >= slack &&
      ((page !== '' && batch.getCount(page, false) >= Math.max(pageCapacity, slack)) ||
        batch.getCount(getHostIdentity(url), isStrange) >= Math.max(hostCapacity, slack) ||
        (path !== '' && batch.getCount(path, isStrange) >= Math.max(pathCapacity, slack)));
    return isFull ? 'unknown' : 'some';
  }

  private findHostSize(url: NewUrl, withStrangers: boolean): HostSize | Promise<HostSize> {
    const known = this.hostSizes.get(getHostIdentity(url));
    return known && (known.isSplit || !withStrangers) ? known : this.countHost(url, withStrangers, known);
  }

  private async countHost(url: NewUrl, withStrangers: boolean, known: HostSize | undefined): Promise<HostSize> {
    const { crawler, hostKey } = url;
    const size = known ?? {
      own: await this.store.count({ crawler, hostKey }),
      strange: 0,
      missing: 0,
      waiting: 0,
      isSplit: false,
    };
    if (withStrangers && !size.isSplit) {
      const limit = this.findTarget(crawler)?.traps.maxUrlsPerHost ?? 0;
      const stored = size.own === 0 ? NOBODYS : await this.countStrange(url, limit);
      size.isSplit = true;
      size.waiting += stored.waiting;
      size.strange += stored.strange;
      size.missing += stored.missing;
      size.own -= stored.strange + stored.missing;
    }
    if (!known) this.hostSizes.set(getHostIdentity(url), size);
    return size;
  }

  /** Counts what strangers have named, in the store; of what does not exist, they get only so many places back. */
  private async countStrange(
    { crawler, hostKey, url }: NewUrl,
    limit: number,
    prefix?: string,
  ): Promise<Pick<HostSize, 'strange' | 'missing' | 'waiting'>> {
    await this.strangers.load();
    const named = { crawler, hostKey, prefix, namedOutside: this.strangers.getDomain(url) };
    const all = await this.store.count(named);
    if (all === 0) return NOBODYS;
    const gone = await this.store.count({ ...named, reasons: ['http-404', 'http-410'] });
    const missing = Math.min(gone, getStrangersLimit(limit));
    const waiting = prefix === undefined ? await this.store.count({ ...named, status: 'waiting' }) : 0;
    return { strange: all - missing, missing, waiting };
  }

  private async countVariants(url: NewUrl, path: string, limit: number): Promise<QueryVariants> {
    const variants = this.queryVariants.get(path);
    if (!variants) return NO_VARIANTS;
    const fewest = limit * RECOUNT_THRESHOLD;
    if (variants.complete || (variants.count < fewest && variants.strange < getStrangersLimit(fewest))) return variants;
    const size = await this.findHostSize(url, false);
    if (size.own < limit && size.strange < getStrangersLimit(limit)) return variants;
    variants.complete = true;
    const { crawler, hostKey } = url;
    const prefix = url.url.slice(0, url.url.indexOf('?') + 1);
    const all = await this.store.count({ crawler, hostKey, prefix });
    const { strange, missing } = await this.countStrange(url, limit, prefix);
    variants.strange = strange;
    variants.count = all - strange - missing;
    return variants;
  }

  private recordUrl(state: UrlState): void {
    const key = getHostIdentity(state);
    const isStrange = this.strangers.haveNamed(state);
    // A host that is no longer remembered is counted in the store when its size is needed.
    const size = this.hostSizes.get(key);
    if (size) {
      if (isStrange) size.strange++;
      else size.own++;
      if (isStrange && isWaiting(state)) size.waiting++;
      this.hostSizes.set(key, size);
    }
    const page = isStrange ? '' : getPageIdentity(state);
    if (page !== '') this.namedBy.set(page, (this.namedBy.get(page) ?? 0) + 1);
    if (!state.url.includes('?')) return;
    const path = getPathIdentity(state);
    const variants = this.queryVariants.get(path) ?? { count: 0, strange: 0, complete: false };
    if (isStrange) variants.strange++;
    else variants.count++;
    this.queryVariants.set(path, variants);
  }
}

/** A link with the source in which it is queued. */
interface PlacedUrl {
  readonly url: NewUrl;
  /** True if only a page of another domain names it. */
  readonly isStrange: boolean;
}

/** The number of URLs of a host. */
interface HostSize {
  own: number;
  /** Those that strangers have named, as far as they exist. */
  strange: number;
  /** Those that strangers have named and that do not exist. */
  missing: number;
  /** Those that strangers have named and that wait for their first visit, about. */
  waiting: number;
  /** False until strangers' URLs found before the start are counted. */
  isSplit: boolean;
}

/** The number of URLs that differ only in their query. */
interface QueryVariants {
  /** Without those that strangers have named. */
  count: number;
  strange: number;
  /** True if URLs found before the start are counted as well. */
  complete: boolean;
}

const isMissing = (reason: Reason | undefined): boolean => reason === 'http-404' || reason === 'http-410';

/** Whether a URL waits for its first visit. */
const isWaiting = ({ status, source, visits }: UrlState): boolean =>
  status === 'waiting' && source !== undefined && visits === 0;

const NOBODYS = { strange: 0, missing: 0, waiting: 0 } as const;
const NO_VARIANTS: QueryVariants = { count: 0, strange: 0, complete: false };

/** URLs that may be new, counted by host and by path. */
class PendingUrls {
  private urls: PlacedUrl[] = [];
  private counts = new Map<string, number>();
  /** The number of URLs that are counted: most batches are so small that nobody asks. */
  private countedUrls = 0;

  add(url: PlacedUrl): void {
    this.urls.push(url);
  }

  get size(): number {
    return this.urls.length;
  }

  getCount(key: string, isStrange: boolean): number {
    for (; this.countedUrls < this.urls.length; this.countedUrls++) {
      const { url, isStrange } = this.urls[this.countedUrls]!;
      for (const key of [getHostIdentity(url), getPathIdentity(url), getPageIdentity(url)]) {
        const countKey = toCountKey(key, isStrange);
        this.counts.set(countKey, (this.counts.get(countKey) ?? 0) + 1);
      }
    }
    return this.counts.get(toCountKey(key, isStrange)) ?? 0;
  }

  takeAll(): PlacedUrl[] {
    const { urls } = this;
    this.urls = [];
    this.counts = new Map();
    this.countedUrls = 0;
    return urls;
  }
}

const toCountKey = (key: string, isStrange: boolean): string => (isStrange ? `~${key}` : key);

const getUrlIdentity = (url: { crawler: string; url: string }): string => `${url.crawler} ${url.url}`;

/** The last host: consecutive URLs are nearly always of one, and V8 enters each new key of a map into a table of all it knows. */
let last = { crawler: '', hostKey: '', identity: ' ' };

const getHostIdentity = ({ crawler, hostKey }: { crawler: string; hostKey: string }): string => {
  if (last.hostKey !== hostKey || last.crawler !== crawler)
    last = { crawler, hostKey, identity: `${crawler} ${hostKey}` };
  return last.identity;
};

/** The URL up to its query string; empty if it has none. */
const getPathIdentity = (url: { crawler: string; url: string }): string => {
  const query = url.url.indexOf('?');
  return query < 0 ? '' : `${url.crawler} ${url.url.slice(0, query)}`;
};

/** A page's share of the limits of its host; on some hosts, anybody may write pages. */
const getPageLimit = (limit: number): number => Math.max(MIN_PER_PAGE, Math.floor(limit / 10));

/** The page that names the URL, with the path of URLs with a query. Empty for sitemaps, and for pages that the operator has named. */
const getPageIdentity = (url: Pick<NewUrl, 'crawler' | 'url' | 'foundOn' | 'discoveredVia' | 'hops'>): string =>
  url.foundOn === undefined || url.discoveredVia !== 'link' || url.hops <= 1
    ? ''
    : url.url.includes('?')
      ? `${url.foundOn} ${getPathIdentity(url)}`
      : url.foundOn;
