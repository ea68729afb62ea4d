/** Everything that is known about one URL when somebody asks what became of it, as plain values. */

import type { UrlState } from '../crawl/url-state.js';
import type { Reason, ReasonCode } from '../policy/reasons.js';
import type { Verdict } from '../policy/verdict.js';
import type { OrderKind, OrderState } from '../push/order.js';
import type { Instant } from '../time/units.js';

/** What robots.txt says about a URL, as it was last fetched. */
export interface RobotsOpinion {
  /**
   * ignored: the configuration switches it off; unknown: not fetched yet; unreachable: nothing is allowed until it can be read.
   */
  readonly state: 'allowed' | 'disallowed' | 'unknown' | 'unreachable' | 'ignored';
  /** The product token that it addresses. */
  readonly agent: string;
  /** The rule that decides, and its line; absent if there is none. */
  readonly rule?: string;
  readonly line?: number;
  readonly fetchedAt?: Instant;
  /** HTTP status of its fetch, or the code of the failure. */
  readonly status?: string;
}

export interface VisitFacts {
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

/** A link to the URL that was refused and is among the samples that are kept. */
export interface RefusedSample {
  readonly from: string;
  readonly reason: Reason;
}

export interface UrlFacts {
  /** For a stored URL: how it would be judged again; for others: how it would be judged when found. */
  readonly verdict: Verdict;
  /** The link that was asked about; if the URL is not stored, `verdict` is that on the link. */
  readonly link?: { readonly from: string; readonly verdict: Verdict };
  /** Absent if only a configuration was asked, and no server. */
  readonly robots?: RobotsOpinion;
  readonly state?: UrlState;
  /** Newest first. */
  readonly visits: readonly VisitFacts[];
  /** Newest first, those in flight included. */
  readonly orders: readonly OrderFacts[];
  readonly refused?: RefusedSample;
  /** The canonical URL, original or redirect target that the last visit named. */
  readonly related?: { readonly url: string; readonly refused?: ReasonCode; readonly state?: UrlState };
  readonly crawler: 'running' | 'paused' | 'stopped' | 'unknown';
  readonly host?: {
    readonly paused: boolean;
    readonly backOffUntil: Instant;
    /** A schedule keeps it from being crawled until then. */
    readonly closedUntil?: Instant;
  };
  readonly now: Instant;
}

/** in-index: the sinks hold its document; on-its-way: it only takes time; not-in-index: it stays out until something changes. */
export type Fate = 'in-index' | 'on-its-way' | 'not-in-index';

export interface Headline {
  readonly fate: Fate;
  /** The reason code or error code that decides. */
  readonly reason: Reason;
  readonly text: string;
  /** The next step for somebody who wants another result; absent if there is nothing to do. */
  readonly nextStep?: string;
}
