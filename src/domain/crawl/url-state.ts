/**
 * What is known of a URL, and the states it can be in. *Where it is* (status, source, due time) stays apart from *how the
 * last visit ended* (reason) and from *what the index holds* (stamp).
 *
 * | status     | what is true                                         | enters                              | leaves                              |
 * |------------|------------------------------------------------------|-------------------------------------|-------------------------------------|
 * | waiting    | known, never visited with success or failure         | discovered, submitted               | first visit                         |
 * | indexed    | the sinks hold the document with `stamp`             | add order acknowledged              | deletion acknowledged               |
 * | visited    | read, but not in the index (rules, noindex, duplicate)| visit                              | next visit                          |
 * | redirected | the URL answers with a redirect                      | visit                               | next visit                          |
 * | error      | the last visit failed; `reason` is an error code; the document may still be indexed (`stamp`) | visit | next visit, removal |
 * | excluded   | the policy rejects it; never visited; status 760     | judged again                        | judged again                        |
 * | elsewhere  | left to another crawler; document kept; status 761   | judged again                        | judged again                        |
 * | filtered   | never crawled, kept only as a record of the reason   | discovered (a rule logs it)         | judged again                        |
 *
 * A URL is queued when it has a `source`; it may be fetched from `dueAt` on. A removed status is a deleted row.
 */
import type { SourceNumber } from '../frontier/sources.js';
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
] as const;

export type UrlStatus = (typeof URL_STATUSES)[number];

/** Statuses that a policy, and not a visit, has given. */
export const OUTSIDE: ReadonlySet<UrlStatus> = new Set(['excluded', 'elsewhere', 'filtered']);

/** How a URL was found first; `robots`: a sitemap file named by robots.txt. */
export const ARRIVALS = ['root', 'link', 'redirect', 'sitemap', 'robots'] as const;

export type Arrival = (typeof ARRIVALS)[number];

/** Row id in the store; unique over all crawlers. */
export type UrlId = number;

export interface UrlState {
  readonly id: UrlId;
  readonly crawler: string;
  readonly url: string;
  readonly hostKey: string;
  readonly status: UrlStatus;
  /** Reason code (policy) or error code (visit) of the present status. */
  readonly reason: string;
  /** Absent: not queued. */
  readonly source?: SourceNumber;
  readonly dueAt: Instant;
  /** Links from the root. */
  readonly hops: number;
  /** Length of the redirect chain that led here; 0 when none. */
  readonly redirects: number;
  /** URL of the page that it was first found on. */
  readonly foundOn?: string;
  /** URL of the root that led here. */
  readonly root?: string;
  readonly arrival: Arrival;
  readonly firstSeenAt: Instant;
  readonly lastVisitAt?: Instant;
  readonly lastStatus?: number;
  /** Temporary errors in a row. */
  readonly temporaryErrors: number;
  /** Was the last visit a permanent error? Two in a row remove the status. */
  readonly permanentError: boolean;
  readonly visits: number;
  /** Visits after the first that found the document changed. */
  readonly changes: number;
  readonly lastChangeAt?: Instant;
  /** What is believed of its changes, see ChangeBelief; absent until a visit was answered. */
  readonly changeInterval?: Duration;
  readonly changeDoubt?: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Digest of the document that the sinks hold; absent: nothing is indexed for this URL. */
  readonly stamp?: string;
  /** 64-bit simhash of the text, signed. */
  readonly simhash?: bigint;
  readonly contentType?: string;
  readonly title?: string;
  /** Metas handed down by the pages that led here (`scope="links"`). */
  readonly inheritedMetas: readonly { readonly name: string; readonly value: string }[];
  /** A deletion has been decided (with this reason) and not yet been acknowledged. */
  readonly pendingDeletion?: string;
}
