/**
 * The durable frontier: every URL of every crawler, the politeness of every web server, and the ledger of orders. Four
 * verbs move URLs: `discover` (never changes a known URL), `seed` (an operator submits URLs; a known URL becomes due),
 * `listDue` (what may be fetched; a lease is held in memory by the caller and costs no write) and `settle` (the only
 * way in which the state of a URL changes). All verbs take batches; each call is one transaction.
 */
import type { IndexedText, StateChanges, UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { Reason } from '../../domain/policy/reasons.js';
import type { OrderKind, OrderState } from '../../domain/push/order.js';
import type { Duration, Instant } from '../../domain/time/units.js';
import type { OwedChange, OwedOrders } from './owed-orders.js';
import type { Fence } from './partitions.js';

export interface NewUrl {
  readonly crawler: string;
  readonly url: string;
  readonly key: bigint;
  readonly hostKey: string;
  /** Absent if the URL is recorded but not queued (status filtered). */
  readonly source?: SourceNumber;
  readonly status: 'waiting' | 'filtered';
  readonly reason: Reason;
  readonly hops: number;
  readonly redirects: number;
  readonly discoveredVia: UrlState['discoveredVia'];
  readonly foundOn?: string;
  readonly root?: string;
  readonly inheritedMetas?: UrlState['inheritedMetas'];
  readonly dueAt: Instant;
}

/** A combination of crawler, host and source that has queued URLs. */
export interface Backlog {
  readonly crawler: string;
  readonly hostKey: string;
  readonly source: SourceNumber;
  /** The earliest due time. */
  readonly dueAt: Instant;
}

export interface Visit {
  readonly at: Instant;
  /** HTTP status; absent if there was no response. */
  readonly status?: number;
  /** `document`, `unchanged`, `redirect`, `excluded` or an error code. */
  readonly outcome: string;
  readonly detail?: string;
  readonly duration: Duration;
  readonly bytes: number;
  /** True if the visit found different content than the previous one; never true for the first visit. */
  readonly changed: boolean;
}

/** The link targets of a page, as of the last time it was read in full. */
export interface PageLinks {
  /** When the page was requested. */
  readonly at: Instant;
  /** Content hash of the document made from the page. */
  readonly stamp: string;
  /** The ETag and Last-Modified received with the page, in one string. */
  readonly validators: string;
  /** Keys of the URLs that the policy accepted; see url-key.ts. */
  readonly keys: BigInt64Array;
}

export interface LedgerEntry {
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly hostKey: string;
  readonly kind: OrderKind;
  readonly reason: Reason;
  readonly decidedAt: Instant;
  readonly state: OrderState;
  readonly attempts: number;
  readonly answeredAt?: Instant;
  /** The sink's message if it refused the order; the last failure while the order is pending. */
  readonly answer?: string;
  readonly stamp?: string; // of a change that the change guard holds: what identifies it
}

/**
 * What may be written to a URL: the changes of a disposition, and the results of its visit and its orders. Undefined
 * leaves a value unchanged; null clears it.
 */
export type UrlChanges = Readonly<StateChanges>;

/** The id in a settlement that concerns orders only. */
export const NO_URL: UrlId = 0;

export interface Settlement {
  readonly id: UrlId;
  /** The fence under which it was decided; absent for an operator's decision, which any node may write. */
  readonly fence?: Fence;
  /** True if the row is to be removed without a trace. */
  readonly remove?: boolean;
  readonly changes?: UrlChanges;
  readonly visit?: Visit;
  /** Replaces what was remembered of the page's links. */
  readonly links?: PageLinks;
  readonly orders?: readonly LedgerEntry[];
  readonly owed?: readonly OwedChange[];
}

/** Politeness and health of one web server, shared by all crawlers. */
export interface HostRecord {
  readonly hostKey: string;
  /** No request may be sent before this time (crawl delay after the last one). */
  readonly nextRequestAt: Instant;
  /** Back-off after 429, 503 and connection errors. */
  readonly backOffUntil: Instant;
  readonly backOffStep: number;
  readonly paused: boolean;
  /** The visit price, see visit-price.ts; 0 until a refresh visit has set it. */
  readonly visitPrice: Duration;
}

export interface UrlFilter {
  readonly crawler?: string;
  readonly status?: UrlState['status'];
  readonly hostKey?: string;
  readonly source?: SourceNumber;
  /** Only URLs that are queued in a source. */
  readonly queued?: true;
  /** A literal prefix of the URL. */
  readonly prefix?: string;
  /** An SQL LIKE pattern with `%` and `_`. */
  readonly like?: string;
  /** Any string: callers need not know all codes to filter by one. */
  readonly reason?: string;
  /** Only URLs with one of these reasons. */
  readonly reasons?: readonly string[];
  /** Only URLs that have a document in the index. */
  readonly indexed?: boolean;
  /** Only URLs with a deletion that is not settled yet. */
  readonly pendingDeletion?: boolean;
  /** Only URLs that a page, redirect or sitemap of another registrable domain than this has named first. */
  readonly namedOutside?: string;
  /** Only URLs whose last visit was before this. */
  readonly visitedBefore?: Instant;
  /** Only URLs whose last visit was at this time or later. */
  readonly visitedSince?: Instant;
}

/** One step of a search through the stored URLs. */
export interface SearchStep {
  readonly urls: UrlState[];
  /** The id after which to continue; absent if everything was searched. */
  readonly next?: UrlId;
  /** Share of the store that has been searched, from 0 to 1. */
  readonly searched: number;
}

/** Numbers of URLs with one kind of error: all, and those last visited within the hour or day before the given time. */
export interface FailingUrls {
  readonly urls: number;
  readonly lastHour: number;
  readonly lastDay: number;
}

/** The contents of one folder of a host, as found by one step. */
export interface FolderStep {
  /** Its folders, each with the number of URLs anywhere in it; if there are very many, only the first ones found. */
  readonly folders: readonly { readonly name: string; readonly urls: number }[];
  /** Number of URLs in further folders. */
  readonly others: number;
  /** Number of URLs directly in the folder; `sample` has the first of them. */
  readonly urls: number;
  readonly sample: readonly UrlState[];
  /** The id after which the next step continues, as in SearchStep. */
  readonly next?: UrlId;
  readonly searched: number;
}

/** What one step has counted among all URLs of a crawler. The counts of all steps add up. */
export interface SurveyStep {
  readonly reasons: readonly {
    readonly status: UrlState['status'];
    readonly reason: Reason;
    readonly urls: number;
    /** How many of these URLs have a document in the index. */
    readonly indexed: number;
  }[];
  /**
   * Numbers of documents in the index by their last visit: at `since[0]` or later, at `since[1]` or later and so on;
   * finally, all earlier ones.
   */
  readonly ages: readonly number[];
  /** The id after which the next step continues, as in SearchStep. */
  readonly next?: UrlId;
  readonly searched: number;
}

/** Maximum number of hosts that `findOldest` considers. */
export const MAX_OLDEST_HOSTS = 2_000;

export interface LedgerFilter {
  readonly crawler?: string;
  readonly state?: OrderState;
  readonly kind?: OrderKind;
  readonly uri?: string;
  readonly hostKey?: string;
  readonly reason?: string;
}

export interface CrawlerCounts {
  readonly byStatus: Readonly<Record<UrlState['status'], number>>;
  /** Numbers of queued URLs by source number. */
  readonly bySource: readonly number[];
  readonly indexed: number;
  readonly oldestDueAt?: Instant;
}

/** A URL that is queued in a source. */
export interface QueuedUrl {
  readonly url: string;
  readonly dueAt: Instant;
}

/** The operations that store and move queued URLs. */
export interface UrlQueue {
  /**
   * Stores URLs that are not known yet and returns those, in the order given. A URL whose status was removed starts as
   * a new one if it is to be queued; other known URLs stay unchanged.
   */
  discover(urls: readonly NewUrl[]): Promise<UrlState[]>;
  /** Like discover, but a known URL is queued again in the given source, due at the given time, as found in the given way. */
  seed(urls: readonly NewUrl[]): Promise<{ readonly state: UrlState; readonly known: boolean }[]>;
  /**
   * Queued URLs of one (crawler, host, source) with dueAt <= now, by due time, then id.
   * @param skip URLs already in memory, which are left out
   */
  listDue(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    skip: ReadonlySet<UrlId>,
  ): Promise<{
    readonly urls: UrlState[] /** Due time of the next URL after these, if there is one. */;
    readonly next?: Instant;
  }>;
  /** @throws FencedOut if a partition has another owner by now; then nothing has been written */
  settle(settlements: readonly Settlement[]): Promise<void>;

  /**
   * Lists the (host, source) backlogs of a crawler whose earliest due time is <= horizon, page by page.
   * @param after the last host of the previous page
   * @param partitions if given, only hosts in these partitions are listed
   */
  listBacklogs(
    crawler: string,
    horizon: Instant,
    after: string | undefined,
    limit: number,
    partitions?: readonly number[],
  ): Promise<{ readonly backlogs: Backlog[]; readonly next?: string }>;
  /**
   * Makes matching queued or settled URLs due at the given time (forced refresh); returns their number.
   * @param note called with the ids of URLs before they are changed
   */
  makeDue(
    filter: UrlFilter,
    dueAt: Instant,
    source: SourceNumber,
    note?: (ids: readonly UrlId[]) => void,
  ): Promise<number>;
  /** Deletes matching rows that hold no document and have no order in flight; returns their number. */
  forget(filter: UrlFilter): Promise<number>;
}

/** What is known about URLs, for lists, counts and explanations. */
export interface UrlCatalog {
  find(crawler: string, url: string): Promise<UrlState | undefined>;
  get(ids: readonly UrlId[]): Promise<UrlState[]>;
  /** Lists matching URLs after that with the id `after` (0 to start), in an order that is the same for every page. */
  list(filter: UrlFilter, after: UrlId, limit: number): Promise<UrlState[]>;
  /** Lists the texts of all indexed documents, in the order of `list`. */
  listTexts(crawler: string, after: UrlId, limit: number): Promise<IndexedText[]>;
  /**
   * Like list, but for interactive use: searches for a limited time, whatever the filter and the size of the store, and
   * reports how far it got.
   */
  search(filter: UrlFilter & { readonly crawler: string }, after: UrlId, limit: number): Promise<SearchStep>;
  /**
   * Takes one step through the URLs of a host in a folder. The counts of all steps add up to exact totals.
   * @param folder the beginning of their URLs up to a slash, or empty for all of them
   */
  listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep>;
  /** Takes one step of a count of all URLs, after the one with the id `after`; `since` is in descending order. */
  survey(crawler: string, since: readonly Instant[], after: UrlId): Promise<SurveyStep>;
  /** URLs in error by reason, most frequent first; for one host only, if given. */
  countFailing(
    crawler: string,
    now: Instant,
    hostKey?: string,
  ): Promise<(FailingUrls & { readonly reason: Reason; readonly hosts: number })[]>;
  /** Hosts with URLs in error for a reason, those with the most URLs first; `after` is the last host of the previous page. */
  listFailingHosts(
    crawler: string,
    reason: string,
    now: Instant,
    after: { readonly urls: number; readonly hostKey: string } | undefined,
    limit: number,
  ): Promise<(FailingUrls & { readonly hostKey: string })[]>;
  /**
   * Counting by pattern takes a while on a large store; the signal aborts it, and the call rejects with the signal's
   * reason.
   */
  count(filter: UrlFilter, signal?: AbortSignal): Promise<number>;
  countByStatus(crawler: string): Promise<CrawlerCounts>;
  /**
   * The queued URL of each source that was due first. To keep the cost independent of the number of URLs, only a
   * limited number of hosts is considered, those whose URLs were due first; a source without URLs there is omitted.
   */
  findOldest(crawler: string): Promise<ReadonlyMap<SourceNumber, QueuedUrl>>;
  /** The number of a host's documents in the index; for the deletion guard. */
  countIndexedOfHost(crawler: string, hostKey: string): Promise<number>;
  /** Hosts with their counts, for the list of hosts; by host key, ascending. */
  listHosts(
    crawler: string,
    after: string | undefined,
    limit: number,
  ): Promise<
    {
      readonly hostKey: string;
      readonly urls: number;
      readonly indexed: number;
      readonly errors: number;
      readonly queued: number;
    }[]
  >;
  /** Lists URLs sorted by URL, as in FDSE's pending file. */
  listByUrl(crawler: string, after: string | undefined, limit: number): Promise<UrlState[]>;
  listVisits(id: UrlId, limit: number): Promise<Visit[]>;
  /** Stored URLs of one host with these keys (see url-key.ts), in no particular order. */
  findByKeys(crawler: string, hostKey: string, keys: BigInt64Array): Promise<UrlState[]>;
  /** URLs with these keys whose status is removed. */
  findRemoved(crawler: string, keys: BigInt64Array): Promise<UrlState[]>;
  /** Pages that gave way to this canonical URL, at most `limit`; not those that redirect to it. */
  findPagesThatGaveWayTo(crawler: string, canonical: string, limit: number): Promise<UrlState[]>;
  /** Returns what is remembered of a page's links; undefined if nothing is. */
  getLinks(id: UrlId): Promise<PageLinks | undefined>;
}

/** Politeness of web servers, shared by all crawlers. */
export interface HostRecords {
  loadHosts(hostKeys: readonly string[]): Promise<HostRecord[]>;
  saveHosts(hosts: readonly HostRecord[]): Promise<void>;
}

export interface OrderLedger {
  /** The highest order id in use; 0 if there is none. The ids after it are assigned in memory. */
  getLastOrderId(): Promise<number>;
  saveOrders(entries: readonly LedgerEntry[]): Promise<void>;
  listOrders(filter: LedgerFilter, before: number | undefined, limit: number): Promise<LedgerEntry[]>;
  getOrder(id: number): Promise<LedgerEntry | undefined>;
  countOrders(filter: LedgerFilter): Promise<number>;
  /** Removes acknowledged entries that were decided before the given time and keeps at most `keep` of them. */
  pruneOrders(decidedBefore: Instant, keep: number): Promise<number>;
}

export interface SettingsPage {
  readonly from: string;
  readonly limit: number;
}

/** Named values that must survive a restart: crawler states, submitted roots, usage; texts of limited length. */
export interface Settings {
  getSetting(name: string): Promise<string | undefined>;
  /** Stores a setting; undefined removes it. */
  putSetting(name: string, value: string | undefined): Promise<void>;
  /**
   * Settings whose names begin with the prefix, by name; for paging, at most `limit` whose names are not before `from`.
   */
  listSettings(prefix: string, page?: SettingsPage): Promise<ReadonlyMap<string, string>>;
}

export interface FrontierStore extends UrlQueue, UrlCatalog, HostRecords, OrderLedger, OwedOrders, Settings {
  /** Returns how many bytes the tables and indexes take, with what is free in them. */
  measureSize(): Promise<number>;
  close(): Promise<void>;
}

/**
 * The store cannot handle this call now (disk full, connection lost, locked); try again later. Nothing was written,
 * unless the connection broke during the commit; repeating the call is harmless in either case.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The contents of the store cannot be read, and no retry helps. The message names the file or table and what to do. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}
