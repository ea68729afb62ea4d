/** The input and output of a page processor: plain data that crosses thread boundaries. */

import type { Chunk, ContentDefinition, Heading } from '../../domain/content/content-definition.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { PageFingerprint } from '../../domain/fetch/error-pages.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
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
import type { ContentLook } from './page-content.js';

export interface PageTask {
  readonly id: UrlId;
  readonly crawler: string;
  readonly url: string;
  readonly discoveredVia: UrlState['discoveredVia'];
  /** The URL variant to request instead, to which the URL redirects. */
  readonly variant?: string;
  /** What the request carries of its visit's session. */
  readonly session?: RequestSession;
  /** The page that redirected or linked here. */
  readonly foundOn?: string;
  readonly root?: string;
  readonly hops: number;
  readonly redirects: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Digest of the document in the index: an equal document is not pushed again, and its links are not new. */
  readonly stamp?: string;
  /** The policy has changed since the last visit: links that were refused may be accepted now. */
  readonly rereadLinks: boolean;
  /** The page is needed in full, changed or not, with every link that the policy accepts, including those reported before. */
  readonly reportLinks?: boolean;
  /** If the page has changed, all links that the policy accepts are needed, including those reported before. */
  readonly allLinksIfChanged?: boolean;
  /** What robots.txt says about the use of the page. */
  readonly robotsPreferences?: readonly { readonly field: string; readonly value: string }[];
  readonly inheritedMetas: UrlState['inheritedMetas'];
  readonly now: Instant;
  /** See FetchRequest. */
  readonly sendBy?: number;
  /** A person looks at the page: every link is listed, known or not, and none counts as reported. */
  readonly inspect?: boolean;
  /** A person wants to read the page again: its answer comes back with the result. */
  readonly keepsAnswer?: boolean;
  /**
   * A person looks at an answer that is there already: nothing is asked of its site. `content`: a definition that is tried instead of the
   * crawler's.
   */
  readonly trial?: { readonly content?: ContentDefinition; readonly answer: KeptAnswer };
  /**
   * If the crawler renders by what it has learned, or a person asks for it: render the page, whatever it brings as it is sent.
   * `never` if a person has decided so for such pages.
   */
  readonly render?: 'always' | 'never';
  /** Failed attempts in a row to render it. */
  readonly renderFailures?: number;
  /** Which words of the page are needed if it has links that may be new. */
  readonly wantsWords?: 'with numbers' | 'without numbers';
}

/** A page as it was fetched, and rendered where its crawler does that. */
export type KeptAnswer = Extract<FetchOutcome, { kind: 'response' }> & { readonly rendered?: boolean };

export interface SentSession {
  readonly login?: string;
  /** Names. */
  readonly cookies: readonly string[];
}

/** A link (or redirect target) that the policy accepts into the frontier. */
export interface DiscoveredLink {
  readonly url: string;
  readonly key: bigint;
  readonly hostKey: string;
  readonly source: SourceNumber;
  /** `robots`: a sitemap named by an index of sitemaps. */
  readonly discoveredVia: 'link' | 'redirect' | 'sitemap' | 'robots';
  readonly inheritedMetas?: UrlState['inheritedMetas'];
  /** When the page last changed according to the sitemap. */
  readonly lastModified?: string;
}

export interface RefusedLink {
  readonly url: string;
  readonly hostKey: string;
  readonly reason: Reason;
  /** A record of it must be stored (Velocity's log flags). */
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
  /** How long the answer claims to stay fresh. */
  readonly lifetime?: Duration;
  /** To recognise it as the error page of its host; only if the crawler looks for those. */
  readonly fingerprint?: PageFingerprint;
}

/** What was read of a page, as a sink would get it, truncated. */
/** A document that is split off the page (`cw:Split`), as a sink would get it. */
export type ReadPart = Pick<PushDocument, 'uri' | 'metas' | 'text'>;

export interface PageReading {
  readonly text: string;
  /** Length of the whole text, in UTF-16 units. */
  readonly textLength: number;
  readonly language?: string;
  readonly metas: readonly Meta[];
  /** Texts that the configuration or the page itself excludes. */
  readonly cut: readonly string[];
  /** Where a tree of the page was built. */
  readonly look?: ContentLook;
  readonly headings?: readonly Heading[];
  readonly markdown?: string;
  readonly chunks?: readonly Chunk[];
  readonly parts?: readonly ReadPart[];
}

export type PageOutcome =
  | {
      readonly kind: 'document';
      readonly facts: DocumentFacts;
      /** May it be in the index? If not, `reason` says why. */
      readonly index: boolean;
      readonly reason: Reason;
      /** Another URL that it names as its canonical one, if the policy accepts that. */
      readonly canonical?: string;
      /** Present if it may be indexed and differs from `task.stamp`. */
      readonly document?: PushDocument;
      /** Links beyond the first `most` URLs of the page, if some were left out and its links were requested. */
      readonly cutLinks?: { readonly count: number; readonly most: number };
      /** What was read of it, for a person who looks at the page. */
      readonly reading?: PageReading;
      /** What the site says about the use of the page, for the history of the URL. */
      readonly terms?: string;
      /** Why a plug-in excludes it from the index. */
      readonly leftOut?: string;
      /** Its content could not be read: the document is pushed without text. */
      readonly unread?: Refusal;
      /** It has no content without its scripts; the evidence, for a person. */
      readonly needsRendering?: string;
      /** It could not be rendered, and is used as it was sent. */
      readonly renderFailure?: { readonly code: ErrorCode; readonly detail: string };
    }
  /** With the validators of the 304 answer, which replace the stored ones. */
  | ({ readonly kind: 'unchanged' } & Validators)
  | {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      readonly target: string;
      /** Why the target is not followed, if it is not. */
      readonly refused?: ReasonCode;
      /** The home page of a site root has moved to another site. */
      readonly movesSite: boolean;
    }
  | {
      readonly kind: 'sitemap';
      readonly entries: number;
      /** It named unknown URLs, or changes since the last visit that are believed; set when its links are stored. */
      readonly changed?: boolean;
    }
  | {
      readonly kind: 'excluded';
      readonly reason: Reason;
      readonly detail?: string;
      /** 761: left to another crawler, the document stays. */
      readonly keepDocument: boolean;
      readonly removeStatus: boolean;
      /** It may become crawlable without a change of the configuration, so it is visited again. */
      readonly revisit: boolean;
      /** Excluded by the configuration alone, whatever the site and DNS say. */
      readonly byConfiguration?: boolean;
    }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly detail: string; readonly retryAfter?: Duration };

export interface PageResult {
  readonly id: UrlId;
  readonly crawler: string;
  readonly outcome: PageOutcome;
  /** If the URL redirects to itself: the variant of it that the redirect names, if it is a different one. */
  readonly variant?: string;
  /**
   * Set-Cookie fields of the answer, separated by line feeds; absent when cookies are not kept and it is not a redirect to itself.
   */
  readonly setCookie?: string;
  /** For a request made with a login. */
  readonly session?: SessionAnswer;
  /** What the request carried of a session; added by the creator of the task. */
  readonly sent?: SentSession;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** Of a document, when the task keeps it. */
  readonly answer?: KeptAnswer;
  readonly links: readonly DiscoveredLink[];
  readonly refused: readonly RefusedLink[];
  /** Hashes of its words, if they were needed; see domain/content/vocabulary.ts. */
  readonly words?: Int32Array;
  /** Only for a feed, and only if the server subscribes to hubs. */
  readonly hub?: FeedHub;
  readonly duration: Duration;
  readonly bytes: number;
  /** Set when the page was rendered, or should have been. */
  readonly rendering?: RenderReport;
  /** How long decoding its body blocked the thread. */
  readonly decodingTime?: Duration;
  /** How long the page blocked its thread, decoding included; absent if nobody needs it. */
  readonly readingTime?: Duration;
  /** What the verdict on this URL says about its schedule. */
  readonly schedule: PageSchedule;
  /** Time since it was ready, if it comes from another thread. */
  readonly age?: Duration;
  /**
   * Frees the bytes of the document at once, when nobody reads them any more. Otherwise the garbage collector does, sooner or
   * later.
   */
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
