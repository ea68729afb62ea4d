import { type UrlState } from '../../domain/crawl/url-state.js';
import { type RefusedSample, type RobotsOpinion } from '../../domain/explain/facts.js';
import { type Headline } from '../../domain/explain/headline.js';
import { type QueueAssignment } from '../../domain/frontier/sources.js';
import type { Reason } from '../../domain/policy/reasons.js';
import { type Candidate, type Explanation } from '../../domain/policy/verdict.js';
import type { TextComparison } from '../../domain/render/compare-texts.js';
import type { SentPage } from '../../domain/render/report.js';
import { type Duration, type Instant } from '../../domain/time/units.js';
import {
  type FailingUrls,
  type LedgerEntry,
  type SurveyStep,
  type UrlFilter,
  type Visit,
} from '../ports/frontier-store.js';
import type { OwedOrder } from '../ports/owed-orders.js';
import { type PageReading } from '../ports/page-task.js';

/** What to visit now: one URL, or all that match the other properties. */
export interface RefreshRequest extends UrlChoice {
  readonly url?: string;
}

/** URLs of one crawler that meet all given conditions. */
export type UrlChoice = Omit<UrlFilter, 'crawler'>;

/** Counts of all URLs that a crawler knows. */
export interface SurveyView {
  readonly at: Instant;
  /** Stored URLs by status and reason, most frequent first. */
  readonly reasons: SurveyStep['reasons'];
  /** Documents in the index by the time since their last visit, ascending; the last class has no upper limit. */
  readonly ages: readonly { readonly upTo?: Duration; readonly documents: number }[];
  /**
   * The maximum age of the crawler's smart refresh; absent without it. Rules and conditions may set a different one for
   * some URLs.
   */
  readonly maximumAge?: Duration;
}

/** Everything known about a URL, stored or not, and the policy's verdict on it. */
export interface UrlExplanation {
  readonly candidate: Candidate;
  readonly headline: Headline;
  readonly explanation: Explanation;
  readonly robots: RobotsOpinion;
  /** For an accepted URL: the source that it enters when it is found. */
  readonly queue?: QueueAssignment;
  /** Absent if the URL is not stored. */
  readonly state?: UrlState;
  /** The visits that are kept, newest first. */
  readonly visits: readonly Visit[];
  readonly orders: readonly LedgerEntry[];
  /** Orders still owed to sinks that have not received what is indexed. */
  readonly owedOrders: readonly OwedOrder[];
  /** Refused links to the URL, from the samples that are kept. */
  readonly refused: readonly RefusedSample[];
}

export interface UrlHistory extends UrlExplanation {
  readonly state: UrlState;
  /** The path from the root to this URL, as far as it is known. */
  readonly path: readonly string[];
  /** Links that are listed for approval instead of being queued, because the root's `followLinks` is off. */
  readonly listedLinks: readonly LinkView[];
}

export interface LinkView {
  readonly url: string;
  readonly kind: string;
  readonly explanation: Explanation;
  /** What is known about the URL; absent if it is not stored. */
  readonly state?: UrlState;
  /** What robots.txt says about the link; absent if its site's robots.txt was not requested for this view. */
  readonly robots?: RobotsOpinion;
  /** Set on a rendered page if the link is not on the page as it was sent. */
  readonly onlyRendered?: true;
}

/** A page fetched for inspection, with the verdicts on its links; nothing is queued. */
export interface PageView {
  readonly url: string;
  readonly outcome: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  /** The URL that the page redirects to. */
  readonly target?: string;
  /** What robots.txt says about the URL, if it was requested for this view. */
  readonly robots?: RobotsOpinion;
  /** For a document: what a sink would get. */
  readonly reading?: PageReading;
  readonly links: readonly LinkView[];
  /** Compares the page as it was sent with the page after its scripts have run; present if it was to be rendered. */
  readonly rendering?: RenderingView;
}

/** What a content definition that is being tried out extracts from a page. */
export interface ContentTrial
  extends Pick<PageView, 'url' | 'outcome' | 'status' | 'title' | 'detail' | 'target' | 'reading'> {
  /** When the page was fetched; absent if it produced no document. */
  readonly fetchedAt?: Instant;
  /** Name of the definition in force for the page, empty for the one without a name; absent if none is. */
  readonly content?: string;
}

export interface RenderingView {
  readonly time: Duration;
  /** Number of the page's requests for scripts, data and frames. */
  readonly requests: number;
  /** Numbers of requests that were not carried out, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly readiness?: string;
  /** Why the page could not be rendered; it is then shown as it was sent. */
  readonly failure?: { readonly code: Reason; readonly detail: string };
  /** Absent if the page could not be rendered. */
  readonly comparison?: RenderingComparison;
  /** A JPEG image in base64. */
  readonly picture?: string;
}

export interface RenderingComparison extends TextComparison {
  readonly sent: Pick<SentPage, 'title' | 'text' | 'textLength'> & { readonly links: number };
  /** Links on the page as it was sent that are not on the rendered one. */
  readonly lostLinks: readonly string[];
}

export interface ErrorClassView extends FailingUrls {
  readonly reason: Reason;
  readonly hosts: number;
}

export interface ErrorHostView extends FailingUrls {
  readonly hostKey: string;
}

export interface RefreshOutcome {
  /** Number of URLs that are due now. */
  readonly count: number;
  readonly resting: readonly RestingHost[];
}

/**
 * A host that receives no requests because it failed or requested a pause; if a user requests a visit, it still gets
 * one request.
 */
export interface RestingHost {
  readonly hostKey: string;
  readonly until: Instant;
}

/** A line that could not be read. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}
