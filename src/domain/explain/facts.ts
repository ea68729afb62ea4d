/** Everything known about one URL when someone asks what became of it, as plain values. */
import type { UrlState } from '../crawl/url-state.js';
import type { Reason, ReasonCode } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';
import type { OrderKind, OrderState } from '../push/order.js';
import type { Instant } from '../time/units.js';

/** What the last fetched robots.txt says about a URL. */
export interface RobotsOpinion {
  /**
   * ignored: the configuration disables robots.txt; unknown: not fetched yet; unreachable: nothing is allowed until it
   * can be read.
   */
  readonly state: 'allowed' | 'disallowed' | 'unknown' | 'unreachable' | 'ignored';
  /** The product token to which it applies. */
  readonly agent: string;
  /** The rule that decides, and its line; absent if there is none. */
  readonly rule?: string;
  readonly line?: number;
  readonly fetchedAt?: Instant;
  /** HTTP status of the last fetch of robots.txt, or the code of the failure. */
  readonly status?: string;
}

interface VisitFacts {
  readonly at: Instant;
  readonly status?: number;
  readonly outcome: string;
  readonly detail?: string;
}

export interface OrderFacts {
  readonly id: number;
  readonly kind: OrderKind;
  readonly reason: Reason;
  readonly state: OrderState;
  readonly decidedAt: Instant;
  readonly answer?: string;
}

/** A refused link to the URL, taken from the samples that are kept. */
export interface RefusedSample {
  readonly from: string;
  readonly reason: Reason;
}

export interface UrlFacts {
  /** For a stored URL, the verdict if it were judged again now; for any other, the verdict if it were found now. */
  readonly verdict: Verdict;
  /** The link in question; if the URL is not stored, `verdict` is the one on the link. */
  readonly link?: { readonly from: string; readonly verdict: Verdict };
  /** For an unknown URL that is judged as a root: the verdict on the link by which it would most likely be found. */
  readonly likelyVerdict?: Verdict;
  /** Absent if only the configuration was consulted, and no server. */
  readonly robots?: RobotsOpinion;
  readonly state?: UrlState;
  /** Newest first. */
  readonly visits: readonly VisitFacts[];
  /** Newest first, including those in flight. */
  readonly orders: readonly OrderFacts[];
  readonly refused?: RefusedSample;
  /** The canonical URL, the original of a duplicate, or the redirect target that the last visit named. */
  readonly related?: { readonly url: string; readonly refused?: ReasonCode; readonly state?: UrlState };
  /** The move of its site's pages to new addresses, if it redirects to one of these. */
  readonly move?: { readonly from: string; readonly to: string; readonly done: number; readonly total: number };
  /** Whether the crawl starts from the URL. */
  readonly isStart?: boolean;
  readonly crawler: 'running' | 'paused' | 'stopped' | 'unknown';
  readonly host?: {
    readonly paused: boolean;
    readonly backOffUntil: Instant;
    /** A schedule prevents the host from being crawled until then. */
    readonly closedUntil?: Instant;
  };
  /** The quota that has been used up for today, so that the crawler fetches nothing until then. */
  readonly usedUp?: { readonly quota: string; readonly until: Instant };
  readonly now: Instant;
}

/**
 * in-index: the sinks hold its document; on-its-way: it will be indexed if nothing goes wrong; not-in-index: it stays
 * out of the index until something changes.
 */
export type Fate = 'in-index' | 'on-its-way' | 'not-in-index';

export interface Headline {
  readonly fate: Fate;
  /** The decisive reason code or error code. */
  readonly reason: Reason;
  readonly text: string;
  /** The next step for someone who wants a different result; absent if there is nothing to do. */
  readonly nextStep?: string;
}
