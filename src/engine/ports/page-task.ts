/**
 * What goes into a page processor and what comes out. Plain data that crosses thread boundaries.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { PageFingerprint } from '../../domain/fetch/error-pages.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { PushDocument } from '../../domain/push/order.js';
import type { Duration, Instant } from '../../domain/time/units.js';

export interface PageTask {
  readonly id: UrlId;
  readonly crawler: string;
  readonly url: string;
  readonly arrival: UrlState['arrival'];
  /** What is asked for instead: another spelling of the URL, which it redirects to. */
  readonly spelling?: string;
  /** The page that redirected or linked here. */
  readonly foundOn?: string;
  readonly root?: string;
  readonly hops: number;
  readonly redirects: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Digest of the document in the index: an equal one is not pushed again, and its links are no new ones. */
  readonly stamp?: string;
  /** The policy has changed since the last visit: links that were refused may be taken now. */
  readonly rereadLinks: boolean;
  readonly inheritedMetas: UrlState['inheritedMetas'];
  readonly now: Instant;
  /** See FetchRequest. */
  readonly sendBy?: number;
  /** A person looks at the page: every link is reported, known or not, and nothing counts as handed over. */
  readonly inspect?: boolean;
  /** Which words of the page are wanted when it has links that may be new. */
  readonly wantsWords?: 'with numbers' | 'without numbers';
}

/** A link (or redirect target) that the policy lets into the frontier. */
export interface DiscoveredLink {
  readonly url: string;
  readonly key: bigint;
  readonly hostKey: string;
  readonly source: SourceNumber;
  /** `robots`: a sitemap that an index of sitemaps names. */
  readonly arrival: 'link' | 'redirect' | 'sitemap' | 'robots';
  readonly inheritedMetas?: UrlState['inheritedMetas'];
  /** Sitemap's word on the last change. */
  readonly lastModified?: string;
}

export interface RefusedLink {
  readonly url: string;
  readonly hostKey: string;
  readonly reason: string;
  /** A record of it is to be stored (Velocity's log flags). */
  readonly record: boolean;
}

/** Facts of a document that was read. */
export interface DocumentFacts {
  readonly stamp: string;
  readonly simhash?: bigint;
  readonly contentType: string;
  readonly title: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** To know it again as the error page of its host; only when the crawler asks for those. */
  readonly fingerprint?: PageFingerprint;
}

export type PageOutcome =
  | {
      readonly kind: 'document';
      readonly facts: DocumentFacts;
      /** May it stand in the index? If not, `reason` says why. */
      readonly index: boolean;
      readonly reason: string;
      /** Another URL that it names as its canonical one, if the policy takes that. */
      readonly canonical?: string;
      /** Present when it may be indexed and differs from `task.stamp`. */
      readonly document?: PushDocument;
    }
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      readonly target: string;
      /** Why the target is not followed, when it is not. */
      readonly refused?: string;
      /** The home page of a site root has moved to another site. */
      readonly movesSite: boolean;
    }
  | { readonly kind: 'sitemap'; readonly entries: number }
  | {
      readonly kind: 'excluded';
      readonly reason: string;
      readonly detail?: string;
      /** 761: left to another crawler, the document stays. */
      readonly keepDocument: boolean;
      readonly removeStatus: boolean;
      /** It may become crawlable without a change of the configuration: visit again. */
      readonly revisit: boolean;
    }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly detail: string; readonly retryAfter?: Duration };

export interface PageResult {
  readonly id: UrlId;
  readonly crawler: string;
  readonly outcome: PageOutcome;
  /** With the outcome that the URL redirects to itself: the spelling of it that the redirect names, when it is another one. */
  readonly spelling?: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  readonly links: readonly DiscoveredLink[];
  readonly refused: readonly RefusedLink[];
  /** Hashes of its words, when they were wanted; see domain/content/vocabulary.ts. */
  readonly words?: Int32Array;
  readonly duration: Duration;
  readonly bytes: number;
  /** What the verdict on this URL says of its schedule. */
  readonly schedule: PageSchedule;
  /** Time since it was ready, when it has come from another thread. */
  readonly age?: Duration;
  /** Frees the bytes of the document at once, when nobody reads them any more. Without it the garbage collector does, some day. */
  readonly release?: () => void;
}

export interface PageSchedule {
  readonly period?: Duration;
  readonly refreshMinimumAge?: Duration;
  readonly refreshMaximumAge?: Duration;
  readonly errorExpiry?: Duration;
  readonly maxTemporaryErrors?: number;
  readonly retryDelay?: Duration;
}
