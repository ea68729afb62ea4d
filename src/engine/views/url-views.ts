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

/** What to visit now: one URL, or all that match the other members. */
export interface RefreshRequest extends UrlChoice {
  readonly url?: string;
}

/** URLs of one crawler; all conditions given must hold. */
export type UrlChoice = Omit<UrlFilter, 'crawler'>;

/** Everything that a crawler knows, counted. */
export interface SurveyView {
  readonly at: Instant;
  /** Stored URLs by status and reason, most frequent first. */
  readonly reasons: SurveyStep['reasons'];
  /** Documents in the index by the time since their last visit, ascending; the last class has no upper bound. */
  readonly ages: readonly { readonly upTo?: Duration; readonly documents: number }[];
  /** That of the crawler's smart refresh; absent without it. Rules and conditions may set another for some URLs. */
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
  /** Absent: not stored. */
  readonly state?: UrlState;
  /** Those that are kept, newest first. */
  readonly visits: readonly Visit[];
  readonly orders: readonly LedgerEntry[];
  /** Sinks that have yet to receive what is indexed of it. */
  readonly behind: readonly OwedOrder[];
  /** Refused links to it, from the samples that are kept. */
  readonly refused: readonly RefusedSample[];
}

export interface UrlHistory extends UrlExplanation {
  readonly state: UrlState;
  /** From the root to this URL, as far as it is known. */
  readonly path: readonly string[];
  /** Links that are listed for a person, not queued: `followLinks` of the root is off. */
  readonly listedLinks: readonly LinkView[];
}

export interface LinkView {
  readonly url: string;
  readonly kind: string;
  readonly explanation: Explanation;
  /** What is known about it; absent = not stored. */
  readonly state?: UrlState;
  /** Absent: the robots.txt of its site was not requested for this. */
  readonly robots?: RobotsOpinion;
  /** On a rendered page: not on the page as it was sent. */
  readonly onlyRendered?: true;
}

/** A page fetched for a person: its links with their verdicts, nothing queued. */
export interface PageView {
  readonly url: string;
  readonly outcome: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  /** Where it redirects to. */
  readonly target?: string;
  /** What robots.txt says about it, if it was requested for this. */
  readonly robots?: RobotsOpinion;
  /** For a document: what a sink would get. */
  readonly reading?: PageReading;
  readonly links: readonly LinkView[];
  /** If it was to be rendered: the page as it was sent beside what its scripts made of it. */
  readonly rendering?: RenderingView;
}

/** A page as a definition would have it that a person tries. */
export interface ContentTrial
  extends Pick<PageView, 'url' | 'outcome' | 'status' | 'title' | 'detail' | 'target' | 'reading'> {
  /** When it was asked for; absent when no document came. */
  readonly fetchedAt?: Instant;
  /** Name of the definition that is in force for it, empty for the one without a name; absent: none is. */
  readonly content?: string;
}

export interface RenderingView {
  readonly time: Duration;
  /** Requests of the page for scripts, data and frames. */
  readonly requests: number;
  /** Requests that were not made, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  readonly readiness?: string;
  /** Why it could not be rendered: it is shown as it was sent. */
  readonly failure?: { readonly code: Reason; readonly detail: string };
  /** Absent when it could not be rendered. */
  readonly comparison?: RenderingComparison;
  /** JPEG in base64. */
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
  /** URLs that are due now. */
  readonly count: number;
  readonly resting: readonly RestingHost[];
}

/** Left alone because it failed or asked for it; if a person requests a visit, it still gets one request. */
export interface RestingHost {
  readonly hostKey: string;
  readonly until: Instant;
}

/** A line that could not be read. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}
