/**
 * What is known about a URL, and the states it can be in. *Where it is* (status, source, due time) is kept separate
 * from *how the last visit ended* (reason) and *what the index holds* (stamp).
 *
 * | status     | meaning                                              | entered when                        | left when                           |
 * |------------|------------------------------------------------------|-------------------------------------|-------------------------------------|
 * | waiting    | known; no visit has succeeded or failed yet          | discovered, submitted               | first visit                         |
 * | indexed    | the sinks hold the document with `stamp`             | add order acknowledged              | deletion acknowledged               |
 * | visited    | read, but not in the index (rules, noindex, duplicate)| visit                              | next visit                          |
 * | redirected | the URL responds with a redirect | visit | next visit |
 * | error      | the last visit failed; `reason` is an error code; the document may still be indexed (`stamp`) | visit | next visit, removal |
 * | excluded   | the policy rejects it; never visited; status 760     | judged again                        | judged again                        |
 * | elsewhere  | left to another crawler; document kept; status 761   | judged again                        | judged again                        |
 * | filtered   | never crawled, kept only as a record of the reason   | discovered (a rule logs it)         | judged again                        |
 * | removed    | given up after errors; not visited                   | visit                               | found again on a live page, submitted |
 *
 * A URL is queued when it has a `source`; it may be fetched from `dueAt` on. A `removed` URL is only a record of
 * the past: if it is found again, it starts as a new one. A URL that an operator clears, or that no server record
 * covers any longer, is deleted from the store.
 */
import type { SourceNumber } from '../frontier/sources.js';
import type { Reason } from '../policy/reasons.js';
import type { PartState } from '../push/parts.js';
import type { Duration, Instant } from '../time/units.js';

export const URL_STATUSES = [
  'waiting',
  'indexed',
  'visited',
  'redirected',
  'error',
  'excluded',
  'elsewhere',
  'filtered',
  'removed',
] as const;

export type UrlStatus = (typeof URL_STATUSES)[number];

/** Statuses that are set by the policy, not by a visit. */
export const POLICY_STATUSES: ReadonlySet<UrlStatus> = new Set(['excluded', 'elsewhere', 'filtered']);

/** Statuses of URLs that a forced refresh of many URLs skips. */
export const NEVER_CRAWLED: ReadonlySet<UrlStatus> = new Set([...POLICY_STATUSES, 'removed'] as const);

/** Reasons from crawl space rules that correspond to OmniFind's status 760. */
export const CRAWL_SPACE_REASONS: readonly Reason[] = [
  'crawl-space-domain',
  'crawl-space-address',
  'crawl-space-prefix',
];

/** OmniFind's status of a URL outside the crawl space: 760 excluded, 761 left to another crawler. */
export function findCrawlSpaceStatus({ status, reason }: Pick<UrlState, 'status' | 'reason'>): 760 | 761 | undefined {
  if (status === 'elsewhere') return 761;
  return status === 'excluded' && CRAWL_SPACE_REASONS.includes(reason) ? 760 : undefined;
}

/** How a URL was first discovered; `robots`: a sitemap file named by robots.txt; `indexnow`: reported by its site. */
export const DISCOVERED_VIA = ['root', 'link', 'redirect', 'sitemap', 'robots', 'indexnow'] as const;

export type DiscoveredVia = (typeof DISCOVERED_VIA)[number];

/** Row id in the store; unique across all crawlers. */
export type UrlId = number;

interface InheritedMeta {
  readonly name: string;
  readonly value: string;
  /**
   * `document` if it comes from a rule on the fragment of the link that led here; it is then not inherited further. If
   * absent, it applies to all documents below (`scope="links"`).
   */
  readonly scope?: 'document';
}

export interface UrlState {
  readonly id: UrlId;
  readonly crawler: string;
  readonly url: string;
  readonly hostKey: string;
  readonly status: UrlStatus;
  /** Reason code (policy) or error code (visit) of the current status. */
  readonly reason: Reason;
  /** Absent if the URL is not queued. */
  readonly source?: SourceNumber;
  readonly dueAt: Instant;
  /** Number of links between the root and the URL. */
  readonly hops: number;
  /** Length of the redirect chain that led here; 0 if none. */
  readonly redirects: number;
  /** URL of the page on which the URL was first found. */
  readonly foundOn?: string;
  /** URL of the root that led here. */
  readonly root?: string;
  readonly discoveredVia: DiscoveredVia;
  readonly firstSeenAt: Instant;
  readonly lastVisitAt?: Instant;
  readonly lastStatus?: number;
  /** Number of consecutive temporary errors. */
  readonly temporaryErrors: number;
  /** Whether the last visit ended in a permanent error; after two in a row, the URL is removed. */
  readonly permanentError: boolean;
  readonly visits: number;
  /** Number of visits after the first one that found the document changed. */
  readonly changes: number;
  readonly lastChangeAt?: Instant;
  /** What is believed about its changes, see ChangeBelief; absent until a visit has succeeded. */
  readonly changeInterval?: Duration;
  readonly changeUncertainty?: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /**
   * Digest of the document that the sinks hold; absent if nothing is indexed for this URL; UNKNOWN_STAMP if it is not
   * known what they hold.
   */
  readonly stamp?: string;
  /** 64-bit simhash of the text, signed. */
  readonly simhash?: bigint;
  /** Sketch of the text of the document that the sinks hold, for the change guard; see domain/content/text-sample.ts. */
  readonly textSketch?: bigint;
  readonly contentType?: string;
  readonly title?: string;
  /** Metas inherited from the pages that led here. */
  readonly inheritedMetas: readonly InheritedMeta[];
  /** The canonical URL to which it gave way; if that URL turns out to have no document, this one is indexed. */
  readonly canonical?: string;
  /** Documents split off from this one that the sinks hold, or may hold. */
  readonly parts?: readonly PartState[];
  /** Reason for a deletion that was decided but is not yet acknowledged. */
  readonly pendingDeletion?: Reason;
}

/** What identifies the text of a document in the index. */
export interface IndexedText extends Pick<UrlState, 'id' | 'hostKey' | 'simhash'> {
  readonly stamp: string;
}

/** The stamp of an unknown document; it is not a digest. */
export const UNKNOWN_STAMP = '';

/** Fields that are set at discovery; a link that leads to the URL again may still change some of them. */
type DiscoveryField =
  | 'id'
  | 'crawler'
  | 'url'
  | 'hostKey'
  | 'hops'
  | 'redirects'
  | 'foundOn'
  | 'discoveredVia'
  | 'firstSeenAt'
  | 'inheritedMetas';

/** The changes made by a visit or an operator. Undefined means unchanged, null means cleared. */
export type StateChanges = {
  -readonly [Field in Exclude<keyof UrlState, DiscoveryField>]?: undefined extends UrlState[Field]
    ? UrlState[Field] | null
    : UrlState[Field];
};
