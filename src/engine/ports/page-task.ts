/**
 * What goes into a page processor and what comes out. Plain data that crosses thread boundaries.
 */

import type { Chunk, Heading } from '../../domain/content/content-definition.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { PageFingerprint } from '../../domain/fetch/error-pages.js';
import type { Validators } from '../../domain/fetch/validators.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { Reason, ReasonCode } from '../../domain/policy/reasons.js';
import type { Meta, PushDocument } from '../../domain/push/order.js';
import type { RenderReport } from '../../domain/render/report.js';
import type { FeedHub } from '../../domain/signals/websub.js';
import type { Duration, Instant } from '../../domain/time/units.js';
import type { Refusal } from './content-extractor.js';
import type { RequestSession } from './fetcher.js';
import type { SessionAnswer } from './login-method.js';

export interface PageTask {
  readonly id: UrlId;
  readonly crawler: string;
  readonly url: string;
  readonly discoveredVia: UrlState['discoveredVia'];
  /** What is asked for instead: another spelling of the URL, which it redirects to. */
  readonly variant?: string;
  /** What the request carries of the session of its visit. */
  readonly session?: RequestSession;
  /** The page that redirected or linked here. */
  readonly foundOn?: string;
  readonly root?: string;
  readonly hops: number;
  readonly redirects: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Digest of the document in the index: an equal one is not pushed again, and its links are not new ones. */
  readonly stamp?: string;
  /** The policy has changed since the last visit: links that were refused may be taken now. */
  readonly rereadLinks: boolean;
  /** The page is wanted in full, changed or not, with every link that the policy takes, also those handed on before. */
  readonly reportLinks?: boolean;
  /** If the page has changed, all links that the policy takes are wanted, also those reported before. */
  readonly allLinksIfChanged?: boolean;
  /** What robots.txt says of the use of the page. */
  readonly robotsPreferences?: readonly { readonly field: string; readonly value: string }[];
  readonly inheritedMetas: UrlState['inheritedMetas'];
  readonly now: Instant;
  /** See FetchRequest. */
  readonly sendBy?: number;
  /** A person looks at the page: every link is reported, known or not, and nothing counts as handed on. */
  readonly inspect?: boolean;
  /**
   * Where the crawler renders by what it has learned, or a person asks: render the page, whatever it brings as it is sent. `never`
   * where a person has said so of pages like it.
   */
  readonly render?: 'always' | 'never';
  /** Attempts to render it that failed in a row. */
  readonly renderFailures?: number;
  /** Which words of the page are wanted when it has links that may be new. */
  readonly wantsWords?: 'with numbers' | 'without numbers';
}

export interface SentSession {
  readonly login?: string;
  /** Names. */
  readonly cookies: readonly string[];
}

/** A link (or redirect target) that the policy lets into the frontier. */
export interface DiscoveredLink {
  readonly url: string;
  readonly key: bigint;
  readonly hostKey: string;
  readonly source: SourceNumber;
  /** `robots`: a sitemap that an index of sitemaps names. */
  readonly discoveredVia: 'link' | 'redirect' | 'sitemap' | 'robots';
  readonly inheritedMetas?: UrlState['inheritedMetas'];
  /** Sitemap's word on the last change. */
  readonly lastModified?: string;
}

export interface RefusedLink {
  readonly url: string;
  readonly hostKey: string;
  readonly reason: Reason;
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
  /** How long the answer says that it stays fresh. */
  readonly lifetime?: Duration;
  /** To know it again as the error page of its host; only when the crawler asks for those. */
  readonly fingerprint?: PageFingerprint;
}

/** What was read of a page, as a sink would get it, within bounds. */
export interface PageReading {
  readonly text: string;
  /** Of the whole text, in UTF-16 units. */
  readonly textLength: number;
  readonly language?: string;
  readonly metas: readonly Meta[];
  /** Texts that the configuration or the page itself excludes. */
  readonly cut: readonly string[];
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
}

export type PageOutcome =
  | {
      readonly kind: 'document';
      readonly facts: DocumentFacts;
      /** May it stand in the index? If not, `reason` says why. */
      readonly index: boolean;
      readonly reason: Reason;
      /** Another URL that it names as its canonical one, if the policy takes that. */
      readonly canonical?: string;
      /** Present when it may be indexed and differs from `task.stamp`. */
      readonly document?: PushDocument;
      /** Links beyond the first `most` URLs of the page, when some were left out and its links were asked for. */
      readonly cutLinks?: { readonly count: number; readonly most: number };
      /** What was read of it, when a person looks at the page. */
      readonly reading?: PageReading;
      /** What the site says of the use of the page, for the history of the URL. */
      readonly terms?: string;
      /** Why a plug-in does not want it in the index. */
      readonly leftOut?: string;
      /** Its content could not be read: the document goes out without text. */
      readonly unread?: Refusal;
      /** It has no content without its scripts; why that is believed, for a person. */
      readonly needsRendering?: string;
      /** It could not be rendered, and is taken as it was sent. */
      readonly renderFailure?: { readonly code: ErrorCode; readonly detail: string };
    }
  /** With the validators of the answer 304, which take the place of those that were stored. */
  | ({ readonly kind: 'unchanged' } & Validators)
  | {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      readonly target: string;
      /** Why the target is not followed, when it is not. */
      readonly refused?: ReasonCode;
      /** The home page of a site root has moved to another site. */
      readonly movesSite: boolean;
    }
  | {
      readonly kind: 'sitemap';
      readonly entries: number;
      /** It named URLs that were not known, or changes since the last visit that are believed; known when its links are stored. */
      readonly changed?: boolean;
    }
  | {
      readonly kind: 'excluded';
      readonly reason: Reason;
      readonly detail?: string;
      /** 761: left to another crawler, the document stays. */
      readonly keepDocument: boolean;
      readonly removeStatus: boolean;
      /** It may become crawlable without a change of the configuration: visit again. */
      readonly revisit: boolean;
      /** The configuration alone excludes it, whatever the site and DNS say. */
      readonly byConfiguration?: boolean;
    }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly detail: string; readonly retryAfter?: Duration };

export interface PageResult {
  readonly id: UrlId;
  readonly crawler: string;
  readonly outcome: PageOutcome;
  /** With the outcome that the URL redirects to itself: the spelling of it that the redirect names, when it is another one. */
  readonly variant?: string;
  /** Set-Cookie fields of the answer, apart by line feeds; absent when cookies are not kept and it is not a redirect to itself. */
  readonly setCookie?: string;
  /** Of a request that a login was made for. */
  readonly session?: SessionAnswer;
  /** What the request carried of a session; added by whoever made the task. */
  readonly sent?: SentSession;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  readonly links: readonly DiscoveredLink[];
  readonly refused: readonly RefusedLink[];
  /** Hashes of its words, when they were wanted; see domain/content/vocabulary.ts. */
  readonly words?: Int32Array;
  /** Of a feed, where hubs are asked. */
  readonly hub?: FeedHub;
  readonly duration: Duration;
  readonly bytes: number;
  /** When the page was rendered, or was to be. */
  readonly rendering?: RenderReport;
  /** That decoding its body held the thread. */
  readonly decodingTime?: Duration;
  /** That the page held its thread, decoding included; absent when that is nobody's concern. */
  readonly readingTime?: Duration;
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
  readonly importance?: number;
}
