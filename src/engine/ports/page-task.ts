/** The input and output of a page processor: plain data that crosses thread boundaries. */
import type { Chunk, ContentDefinition, Heading } from '../../domain/content/content-definition.js';
import type { Shortfall } from '../../domain/content/shortfall.js';
import type { TextSample } from '../../domain/content/text-sample.js';
import type { HeldChange } from '../../domain/crawl/change-guard.js';
import type { Exclusion } from '../../domain/crawl/exclusion.js';
import type { VisitSchedule } from '../../domain/crawl/revisit.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { PageFingerprint } from '../../domain/fetch/error-pages.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { Validators } from '../../domain/fetch/validators.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { Reason, ReasonCode } from '../../domain/policy/reasons.js';
import type { Effects } from '../../domain/policy/verdict.js';
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
  /** The part of the visit's session that applies to this request. */
  readonly session?: RequestSession;
  /** The page that redirected or linked here. */
  readonly foundOn?: string;
  /** The URL that redirected here, unless a stranger chose it. */
  readonly redirectSource?: string;
  readonly root?: string;
  readonly hops: number;
  readonly redirects: number;
  /** What the verdict on the URL grants, and how it is fetched; a URL that the policy excludes has no task. */
  readonly effects: Effects;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Content hash of the document in the index: an equal document is not pushed again, and its links are not new. */
  readonly stamp?: string;
  /** Sketch of the text of that document, if the change guard is on. */
  readonly textSketch?: bigint;
  /** True if the policy has changed since the last visit, so that links refused then may be accepted now. */
  readonly rereadLinks: boolean;
  /**
   * True if the page is needed in full, changed or not, with every link that the policy accepts, including those
   * reported before.
   */
  readonly reportLinks?: boolean;
  /** True if a changed page must report all links that the policy accepts, including those reported before. */
  readonly allLinksIfChanged?: boolean;
  /** What robots.txt says about the use of the page. */
  readonly robotsPreferences?: readonly { readonly field: string; readonly value: string }[];
  readonly inheritedMetas: UrlState['inheritedMetas'];
  readonly now: Instant;
  /** See FetchRequest. */
  readonly sendBy?: number;
  /** True if someone is inspecting the page: every link is listed, known or not, and none is recorded as reported. */
  readonly inspect?: boolean;
  /** True if the page may be read again later: its response is returned with the result. */
  readonly keepAnswer?: boolean;
  /**
   * Set if a response that was fetched earlier is inspected: no request is sent. `content` is a definition to try
   * instead of the crawler's.
   */
  readonly trial?: { readonly content?: ContentDefinition; readonly answer: KeptAnswer };
  /**
   * `always` if the page is to be rendered, whatever it contains as sent, because of what the crawler has learned or
   * someone has requested; `never` if an operator has ruled out rendering such pages.
   */
  readonly render?: 'always' | 'never';
  /** Number of consecutive failed attempts to render the page. */
  readonly renderFailures?: number;
  readonly ocr?: OcrTask;
  /** True if the page is to be compared with its host's error page, whatever it looks like. */
  readonly wantsFingerprint?: boolean;
  /** Hashes of blocks of text to leave out; present if the blocks of the page are to be reported. */
  readonly repeatedBlocks?: Int32Array;
  /** Which words of the page are needed if it has links that may be new. */
  readonly wantsWords?: 'with numbers' | 'without numbers';
}

/** Set if the document in the index has pages that are pictures, and OCR is on. */
export interface OcrTask {
  /** Maximum number of pages that may be read by OCR; 0 if that has to wait. */
  readonly maxPages: number;
  /** True if the text in the index was read by OCR. */
  readonly wasRead: boolean;
}

/** A page as fetched, or as rendered if its crawler renders it. */
export type KeptAnswer = Extract<FetchOutcome, { kind: 'response' }> & { readonly rendered?: boolean };

export interface SentSession {
  readonly login?: string;
  /** Names of the cookies. */
  readonly cookies: readonly string[];
}

/** A link (or redirect target) that the policy accepts into the frontier. */
export interface DiscoveredLink {
  readonly url: string;
  readonly key: bigint;
  readonly hostKey: string;
  readonly source: SourceNumber;
  /** `robots` for a sitemap named by a sitemap index. */
  readonly discoveredVia: 'link' | 'redirect' | 'sitemap' | 'robots';
  readonly inheritedMetas?: UrlState['inheritedMetas'];
  /** When the page last changed according to the sitemap. */
  readonly lastModified?: string;
}

export interface RefusedLink {
  readonly url: string;
  readonly hostKey: string;
  readonly reason: Reason;
  /** True if a record of the link must be stored (Velocity's log flags). */
  readonly record: boolean;
}

/** Facts about a document that was read. */
export interface DocumentFacts {
  readonly stamp: string;
  readonly simhash?: bigint;
  /** Present if the change guard is on and the text is long enough. */
  readonly textSketch?: bigint;
  /** Present if the text differs from the indexed one, or if someone is inspecting the page; short texts are not compared. */
  readonly sample?: TextSample;
  readonly contentType: string;
  readonly title: string;
  /** Whether there is anything to compare: text of a page, bytes of another document. */
  readonly hasText: boolean;
  readonly etag?: string;
  readonly lastModified?: string;
  /** How long the response claims to stay fresh. */
  readonly lifetime?: Duration;
  /** Used to recognize the host's error page; present only if the page may be one. */
  readonly fingerprint?: PageFingerprint;
}

/** A document that is split off the page (`cw:Split`), as a sink would receive it. */
export type ReadPart = Pick<PushDocument, 'uri' | 'metas' | 'text'>;

export interface PageReading {
  readonly text: string;
  /** Length of the whole text, in UTF-16 code units. */
  readonly textLength: number;
  readonly language?: string;
  readonly metas: readonly Meta[];
  /** Passages that the configuration or the page itself excludes. */
  readonly cut: readonly string[];
  /** Share of the page's text outside links that its main content has; absent if that is not looked for. */
  readonly mainShare?: number;
  /** Present if a tree of the page was built. */
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
      /** Whether the document may be in the index; if not, `reason` says why. */
      readonly index: boolean;
      readonly reason: Reason;
      /** A different URL that the page names as its canonical one, if the policy accepts that URL. */
      readonly canonical?: string;
      /** Present if the document may be indexed and its hash differs from `task.stamp`. */
      readonly document?: PushDocument;
      /**
       * The number of links beyond the first `most` URLs of the page, if some were left out and its links were
       * requested.
       */
      readonly cutLinks?: { readonly count: number; readonly most: number };
      /** What was read from it; present only if someone is inspecting the page. */
      readonly reading?: PageReading;
      /** What the site says about the use of the page, for the URL history. */
      readonly terms?: string;
      /** Why a plug-in excludes the document from the index. */
      readonly leftOut?: string;
      /** Why the content could not be read; the document is then pushed without text. */
      readonly unread?: Refusal;
      /** Why the document is pushed with less text than it shows. */
      readonly shortfall?: Shortfall;
      /** Number of pages that were read by OCR. */
      readonly ocrPages?: number;
      /** Set if the page has no content without its scripts; a human-readable description of the evidence. */
      readonly needsRendering?: string;
      /** True if the main content of the page has less than half of its text outside links. */
      readonly isMostlyCut?: boolean;
      /** Why the page could not be rendered; it is then used as it was sent. */
      readonly renderFailure?: { readonly code: ErrorCode; readonly detail: string };
    }
  /** With the validators of the 304 response, which replace the stored ones. */
  | ({ readonly kind: 'unchanged' } & Validators)
  | {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      readonly target: string;
      /** Why the target is not followed, if it is not. */
      readonly refused?: ReasonCode;
      /** True if the home page of a site root has moved to another site. */
      readonly movesSite: boolean;
      /** True if the document of the URL stays until more is known about the target; set after the visit. */
      readonly waits?: boolean;
      /** True if the target has taken the place of the URL's document in the index; set after the visit. */
      readonly proven?: boolean;
    }
  | {
      readonly kind: 'sitemap';
      readonly entries: number;
      /** Whether it named unknown URLs or credible changes since the last visit; set when its links are stored. */
      readonly changed?: boolean;
    }
  | Exclusion
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly retryAfter?: Duration;
      /** True if other pages have to show whether what the page says is believed; set after the visit. */
      readonly doubted?: boolean;
      /** Set if the page has responded, but the change guard holds what it says. */
      readonly held?: HeldChange;
    };

export interface PageResult {
  readonly id: UrlId;
  readonly crawler: string;
  readonly outcome: PageOutcome;
  /** If the URL redirects to itself: the URL variant that the redirect names, if that is a different one. */
  readonly variant?: string;
  /**
   * Set-Cookie fields of the response, separated by line feeds; absent if cookies are not kept and the response is not
   * a redirect to itself.
   */
  readonly setCookie?: string;
  /** Present for a request made with a login. */
  readonly session?: SessionAnswer;
  /** What the request carried of a session; added by the caller that created the task. */
  readonly sent?: SentSession;
  /** True if an operator has released what the page says from the change guard. */
  readonly believed?: true;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** The response, if it has a document and the task asks to keep it. */
  readonly answer?: KeptAnswer;
  /** The URL to which the page sends its visitors at once, by a refresh. */
  readonly refreshTarget?: string;
  readonly links: readonly DiscoveredLink[];
  readonly refused: readonly RefusedLink[];
  /** Hashes of the page's words, if they were needed; see domain/content/vocabulary.ts. */
  readonly words?: Int32Array;
  /** Hashes of the page's blocks of text, if they were to be reported. */
  readonly blocks?: Int32Array;
  /** Present only for a feed, and only if the server subscribes to hubs. */
  readonly hub?: FeedHub;
  readonly duration: Duration;
  readonly bytes: number;
  /** Present if the page was rendered or should have been. */
  readonly rendering?: RenderReport;
  /** How long decoding the body blocked the thread, or its document those of other hosts. */
  readonly decodingTime?: Duration;
  /** How long the page blocked its thread, decoding included; absent if it is not needed. */
  readonly readingTime?: Duration;
  /** What the verdict on this URL says about its schedule. */
  readonly schedule: VisitSchedule;
  /** Time since the result was ready, if it comes from another thread. */
  readonly age?: Duration;
  /**
   * Frees the document's bytes immediately; to be called when they are no longer needed. Otherwise, the garbage
   * collector frees them eventually.
   */
  readonly release?: () => void;
}
