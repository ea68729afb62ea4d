import type { DocumentDecision } from '../../domain/crawl/former-crawler.js';
import { type CrawlerRunState } from '../../domain/crawl/run-state.js';
import { type UrlState } from '../../domain/crawl/url-state.js';
import type { SourceName } from '../../domain/frontier/sources.js';
import type { Reason } from '../../domain/policy/reasons.js';
import { type Explanation } from '../../domain/policy/verdict.js';
import { type Instant } from '../../domain/time/units.js';
import type { Limit } from '../crawl/load/limited-by.js';
import { type CrawlerCounts } from '../ports/frontier-store.js';

export interface SourceView {
  readonly name: SourceName;
  readonly number: number;
  readonly weight: number;
  /** Number of queued URLs, due or not. */
  readonly depth: number;
  /** Number of picks since the start of the process. */
  readonly picks: number;
}

export interface CrawlerView {
  readonly name: string;
  readonly state: CrawlerRunState;
  readonly counts: CrawlerCounts;
  readonly sources: readonly SourceView[];
  /** Mean over the last minute, like the other rates. */
  readonly pagesPerSecond: number;
  readonly errorsPerSecond: number;
  readonly ordersPerSecond: number;
  /** Number of pages being fetched now. */
  readonly active: number;
  /** Number of orders decided and not yet acknowledged. */
  readonly pendingOrders: number;
  readonly limitedBy: Limit;
  readonly nextRequestAt?: Instant;
  /**
   * True if nothing is due and nothing is in flight. URLs may be in error and deletions may be waiting: `limitedBy`
   * names them.
   */
  readonly idle: boolean;
}

export interface RootSubmission {
  readonly url: string;
  readonly site?: boolean;
  readonly entireSite?: boolean;
  readonly priority?: number;
  readonly group?: string;
  readonly metas?: readonly { readonly name: string; readonly value: string }[];
  readonly followLinks?: boolean;
}

export type SubmitOutcome =
  | { readonly outcome: 'new' | 'known'; readonly url: UrlState }
  | {
      readonly outcome: 'rejected';
      readonly url: string;
      readonly explanation?: Explanation;
      readonly message: string;
    };

export interface RootView extends RootSubmission {
  /** `configuration`: the root is in CrawlConfig.xml; `submitted`: it came through the API. */
  readonly origin: 'configuration' | 'submitted';
  /** Position in the list of roots; later roots have greater positions. */
  readonly position: string;
  readonly state?: UrlState;
}

/** A crawler that the configuration no longer names while URLs of it are stored. */
export interface FormerCrawlerView {
  readonly name: string;
  readonly since: Instant;
  readonly urls: number;
  readonly indexed: number;
  /** The sinks that have its documents, and are still in the configuration. */
  readonly sinks: readonly string[];
  /** What becomes of its documents; absent until a person has decided. */
  readonly decision?: DocumentDecision;
}

export interface PreviewReport {
  readonly crawlers: readonly PreviewCounts[];
  readonly judged: number;
  readonly total: number;
  readonly done: boolean;
  /** Crawlers that the configuration does not name any more. Their documents stay until a person decides. */
  readonly removed: readonly { readonly crawler: string; readonly urls: number; readonly indexed: number }[];
  /** Crawlers that would lose more than 10 % of their documents, so that applying the change requires `confirm`. */
  readonly needsConfirmation: readonly string[];
}

export interface PreviewCounts {
  readonly crawler: string;
  readonly indexed: number;
  readonly newlyAccepted: PreviewGroup;
  readonly excluded: PreviewGroup;
  readonly keptElsewhere: PreviewGroup;
  readonly documentsDeleted: PreviewGroup;
  readonly changedSource: PreviewGroup;
}

export interface PreviewGroup {
  readonly count: number;
  readonly byHost: Readonly<Record<string, number>>;
  readonly samples: readonly { readonly url: string; readonly reason: Reason }[];
}
