/**
 * What the server and the command line ask of the engine. Views are plain data, ready to be shown.
 */

import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { UrlState } from '../domain/crawl/url-state.js';
import type { RefusedSample, RobotsOpinion } from '../domain/explain/facts.js';
import type { Headline } from '../domain/explain/headline.js';
import type { QueueAssignment, SourceNumber } from '../domain/frontier/sources.js';
import type { Candidate, Explanation } from '../domain/policy/verdict.js';
import type { BackfillProgress } from '../domain/push/backfill.js';
import type { PushDocument } from '../domain/push/order.js';
import type { RobotsPolicy } from '../domain/robots/robots-policy.js';
import type { IndexNowAnswer, IndexNowSubmission } from '../domain/signals/indexnow.js';
import type { Duration, Instant } from '../domain/time/units.js';
import type { TextLine } from '../domain/url/url-list.js';
import type { LoginView } from './crawl/logins/logins.js';
import type { CrawlEvent } from './events.js';
import type {
  CrawlerCounts,
  FailingUrls,
  FolderStep,
  LedgerEntry,
  LedgerFilter,
  QueuedUrl,
  SearchStep,
  SurveyStep,
  UrlFilter,
  Visit,
} from './ports/frontier-store.js';
import type { PageReading } from './ports/page-task.js';

export type CrawlerRunState = 'running' | 'paused' | 'stopped';

export interface SourceView {
  readonly name: string;
  readonly number: number;
  readonly weight: number;
  /** Queued URLs, due or not. */
  readonly depth: number;
  /** Picks since the start of the process. */
  readonly picks: number;
}

export interface CrawlerView {
  readonly name: string;
  readonly state: CrawlerRunState;
  readonly counts: CrawlerCounts;
  readonly sources: readonly SourceView[];
  /** Over the last minute, per second. */
  readonly pagesPerSecond: number;
  readonly errorsPerSecond: number;
  readonly ordersPerSecond: number;
  /** Pages being fetched now. */
  readonly active: number;
  /** Orders decided and not yet acknowledged. */
  readonly pendingOrders: number;
  /** What limits the speed right now, in words for a person. */
  readonly limitedBy: string;
  readonly nextRequestAt?: Instant;
  /** True when nothing is due and nothing is in flight: every reachable URL is up to date. */
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

/** What is to be visited now: one URL, or all that fit the rest. */
export interface RefreshRequest extends UrlChoice {
  readonly url?: string;
}

/** URLs of one crawler; what is given narrows each other. */
export type UrlChoice = Omit<UrlFilter, 'crawler'>;

/** All that a crawler knows, counted. */
export interface SurveyView {
  readonly at: Instant;
  /** Stored URLs by status and reason, the most first. */
  readonly reasons: SurveyStep['reasons'];
  /** Documents in the index by the time since their last visit, ascending; the last class has no bound. */
  readonly ages: readonly { readonly upTo?: Duration; readonly documents: number }[];
  /** That of the crawler's smart refresh; absent without it. Rules and conditions may give some URLs another. */
  readonly maximumAge?: Duration;
}

export interface RootView extends RootSubmission {
  /** `configuration`: is in CrawlConfig.xml; `submitted`: came over the API. */
  readonly origin: 'configuration' | 'submitted';
  readonly state?: UrlState;
}

export type { RobotsOpinion } from '../domain/explain/facts.js';

/** All that is known of a URL, stored or not, and the policy's verdict on it. */
export interface UrlExplanation {
  readonly candidate: Candidate;
  readonly headline: Headline;
  readonly explanation: Explanation;
  readonly robots: RobotsOpinion;
  /** Of an accepted URL: the source that it goes into when it is found. */
  readonly queue?: QueueAssignment;
  /** Absent: not stored. */
  readonly state?: UrlState;
  /** Those that are kept, newest first. */
  readonly visits: readonly Visit[];
  readonly orders: readonly LedgerEntry[];
  /** Refused links to it, of the samples that are kept. */
  readonly refused: readonly RefusedSample[];
}

export interface UrlHistory extends UrlExplanation {
  readonly state: UrlState;
  /** From the root to this URL, as far as it is known. */
  readonly path: readonly string[];
  /** Links that are listed for a person, not queued: `followLinks` of the root is off. */
  readonly listedLinks: readonly LinkView[];
}

/** Refused links that were never stored, counted in bounded space. */
export interface RefusedView {
  readonly reason: string;
  readonly hostKey: string;
  readonly count: number;
  readonly samples: readonly { readonly url: string; readonly from: string; readonly at: Instant }[];
}

export interface LinkView {
  readonly url: string;
  readonly kind: string;
  readonly explanation: Explanation;
  /** What is known of it; absent = not stored. */
  readonly state?: UrlState;
}

/** A page fetched for a person: its links with their verdicts, nothing queued. */
export interface PageView {
  readonly url: string;
  readonly outcome: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  /** Of a document: what a sink would get. */
  readonly reading?: PageReading;
  readonly links: readonly LinkView[];
}

export interface HostRobots {
  readonly state: RobotsPolicy['state'];
  readonly fetchedAt: Instant;
  /** What the last fetch came to; one that failed leaves the rules that were read before in force. */
  readonly status: string;
  readonly text: string;
}

export interface HostView {
  readonly hostKey: string;
  readonly urls: number;
  readonly indexed: number;
  readonly errors: number;
  readonly queued: number;
  readonly nextRequestAt?: Instant;
  readonly backOffUntil?: Instant;
  readonly crawlDelay?: Duration;
  /** What a refresh visit has to earn; 0 or absent before one has told. */
  readonly visitPrice?: Duration;
  readonly robots?: HostRobots;
  readonly paused: boolean;
  /** Of the visits remembered, the share that succeeded, 0…1. */
  readonly successShare?: number;
  readonly errorClasses: Readonly<Record<string, number>>;
  readonly averageLatency?: Duration;
  /** Pages that held their thread for longer than a second, since the node knows the host. */
  readonly slowPages?: number;
  /** Of one host: documents in the index without the content that their scripts would make. */
  readonly needRendering?: { readonly documents: number; readonly sample?: string };
}

export interface ErrorClassView extends FailingUrls {
  readonly reason: string;
  readonly hosts: number;
}

export interface ErrorHostView extends FailingUrls {
  readonly hostKey: string;
}

export interface PreviewReport {
  readonly crawlers: readonly PreviewCounts[];
  readonly judged: number;
  readonly total: number;
  readonly done: boolean;
  /** Crawlers of which more than 10 % of the documents would be deleted: applying wants `confirm`. */
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
  readonly samples: readonly { readonly url: string; readonly reason: string }[];
}

export interface HeldDeletions {
  readonly hostKey: string;
  readonly crawler: string;
  readonly count: number;
  /** Of these, those that wait for a sign of life or an early look, and need nobody. */
  readonly awaiting: number;
  readonly oldest: Instant;
  readonly reasons: Readonly<Record<string, number>>;
  readonly samples: readonly string[];
}

export interface RefreshOutcome {
  /** URLs that are due now. */
  readonly count: number;
  readonly resting: readonly RestingHost[];
}

/** Left alone because it failed or asked for it; for a person it is asked once all the same. */
export interface RestingHost {
  readonly hostKey: string;
  readonly until: Instant;
}

/** What a sink is being sent of a crawler's documents, see domain/push/backfill.ts. */
export interface BackfillView extends Omit<BackfillProgress, 'cursor' | 'pass' | 'waiting'> {
  readonly crawler: string;
  readonly sink: string;
  readonly waitingVisits: number;
}

export interface SinkView {
  readonly name: string;
  readonly type: string;
  readonly state: 'ready' | 'unavailable';
  readonly message?: string;
  readonly pending: number;
  readonly pendingBytes: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** What it said when it refused an order last. */
  readonly lastRefusal?: string;
  readonly nextAttemptAt?: Instant;
  /** It can tell what it holds. */
  readonly comparable: boolean;
  /** `papi`: the name under which documents are pushed. */
  readonly connector?: string;
  /** What a person should look at although orders go out. */
  readonly warning?: string;
}

/** Raised for a name, URL or number that does not exist; the server answers 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** Raised when the request makes no sense as it stands; the server answers 422 with the message. */
export class Unacceptable extends Error {
  override readonly name = 'Unacceptable';
}

/** A line that could not be read. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

export interface EngineApi {
  readonly definition: ServerDefinition;
  crawlers(): Promise<CrawlerView[]>;
  crawler(name: string): Promise<CrawlerView>;
  /** See FrontierStore.oldest. */
  oldest(crawler: string): Promise<ReadonlyMap<SourceNumber, QueuedUrl>>;
  setRunState(name: string, state: CrawlerRunState): Promise<void>;
  /** Replaces the definition; stored URLs are judged again in the background. */
  reconfigure(definition: ServerDefinition): Promise<void>;

  submit(crawler: string, roots: readonly RootSubmission[]): Promise<SubmitOutcome[]>;
  /** URLs of a list as mnoGoSearch has it: in the deleteNoServer="no" scheme the whole server of each. One outcome for each, in their order. */
  submitList(crawler: string, urls: readonly string[]): Promise<SubmitOutcome[]>;
  /** URLs that their site says have changed. */
  tell(submission: IndexNowSubmission): Promise<IndexNowAnswer>;
  roots(crawler: string): Promise<RootView[]>;
  removeRoot(crawler: string, url: string): Promise<void>;

  /** Stored URLs from after an id, as far as one step comes. */
  search(filter: UrlFilter & { crawler: string }, after: number, limit: number): Promise<SearchStep>;
  /** See FrontierStore.count. */
  countUrls(filter: UrlFilter, signal?: AbortSignal): Promise<number>;
  /** At most a minute old. */
  survey(crawler: string): Promise<SurveyView>;
  urlHistory(crawler: string, url: string): Promise<UrlHistory>;
  explain(crawler: string, url: string, from?: string): Promise<UrlExplanation>;
  page(crawler: string, url: string): Promise<PageView>;
  refused(crawler: string): Promise<RefusedView[]>;
  /** Deletes the matching URLs and their documents; returns how many URLs match. */
  clear(crawler: string, choice: UrlChoice): Promise<number>;
  /** One URL, or all that match. */
  refresh(crawler: string, what: RefreshRequest): Promise<RefreshOutcome>;
  clearErrors(crawler: string): Promise<number>;
  /** URLs in error by error code, the most first. */
  errorClasses(crawler: string, hostKey?: string): Promise<ErrorClassView[]>;
  /** Hosts with an error code, the most URLs first; `after` is the last one of the page before. */
  errorHosts(
    crawler: string,
    code: string,
    after: { readonly urls: number; readonly hostKey: string } | undefined,
    limit: number,
  ): Promise<ErrorHostView[]>;
  pending(crawler: string): AsyncIterable<string>;
  importPending(
    crawler: string,
    lines: Iterable<TextLine>,
  ): Promise<{ imported: number; known: number; problems: readonly LineProblem[] }>;

  hosts(crawler: string, after: string | undefined, limit: number): Promise<HostView[]>;
  host(hostKey: string): Promise<HostView>;
  /** What lies in a folder of a host, as far as one step comes; `folder` is empty for all, or ends with a slash. */
  folders(crawler: string, hostKey: string, folder: string, after: number): Promise<FolderStep>;
  pauseHost(hostKey: string, paused: boolean): Promise<void>;

  /** Yields a growing report; the last one is `done`. Nothing is changed. */
  preview(definition: ServerDefinition): AsyncIterable<PreviewReport>;

  orders(filter: LedgerFilter, before: number | undefined, limit: number): Promise<LedgerEntry[]>;
  retryOrder(id: number): Promise<LedgerEntry>;
  heldDeletions(): Promise<HeldDeletions[]>;
  releaseHeld(hostKey: string): Promise<number>;
  dropHeld(hostKey: string): Promise<number>;
  /** As this server sees them. */
  logins(): LoginView[];
  /** Logs in now, whatever came of earlier tries. */
  testLogin(name: string): Promise<LoginView>;
  /** As this server sees them. */
  sinks(): SinkView[];
  /** As all servers on the database see them together. */
  allSinks(): Promise<SinkView[]>;
  /** Compares what the sinks hold with what the store says they hold. */
  /** Sends a sink everything that is indexed: of all crawlers that push to it, or of one. */
  pushAgain(sink: string, crawler?: string): Promise<BackfillView[]>;
  backfills(): Promise<BackfillView[]>;
  /** The document of a URL as a sink of the crawler keeps it; undefined: none of them gives it back. */
  keptDocument(crawler: string, url: string): Promise<PushDocument | undefined>;
  reconcile(sink: string, repair: boolean): Promise<ReconciliationReport>;

  /** Something that all servers on the database share has changed there. */
  tellOthers(): Promise<void>;
  subscribe(listener: (event: CrawlEvent) => void): () => void;
  /** Crawlers that have come to rest on this server since the last call. */
  caughtUp(): readonly string[];
  /** What happens on this server, for as long as it runs; the observer must not throw. */
  observe(observer: (event: CrawlEvent) => void): void;
  /** Of this server. */
  metrics(): Promise<EngineMetrics>;
  /** Of every server on the database that crawls, by a name that lasts as long as its process; '' is this one. */
  counters(): Promise<ReadonlyMap<string, Pick<EngineMetrics, 'pages' | 'orders'>>>;
  /** Everything that it remembers is at hand; before that its answers would be wrong. */
  readonly isOpen: boolean;
  /** Ready to work: open, and the store answers. */
  ready(): Promise<{ ready: boolean; reasons: readonly string[] }>;
  /** No new fetch; orders in hand are delivered or left for the next start. */
  drain(timeout: Duration): Promise<void>;
}

export interface ReconciliationReport {
  readonly sink: string;
  readonly at: Instant;
  readonly compared: number;
  /** Indexed by the store's account, absent at the sink. */
  readonly missing: { readonly count: number; readonly samples: readonly string[] };
  /** At the sink, not indexed by the store's account. */
  readonly extra: { readonly count: number; readonly samples: readonly string[] };
  /** Held with another stamp. */
  readonly stale: { readonly count: number; readonly samples: readonly string[] };
  readonly repaired: boolean;
}

/** Counters since the start of the process, for Prometheus. */
export interface EngineMetrics {
  readonly pages: readonly { readonly crawler: string; readonly outcome: string; readonly count: number }[];
  /** Documents whose text could not be extracted, by reason code. */
  /** Of crawlers that render. */
  readonly rendering: readonly {
    readonly crawler: string;
    /** By outcome: `rendered` or a code `render-…`. */
    readonly pages: Readonly<Record<string, number>>;
    readonly seconds: number;
    /** Requests of pages that were not made, by reason. */
    readonly refused: Readonly<Record<string, number>>;
  }[];
  /** Pages read that have no content without their scripts. */
  readonly needRendering: readonly { readonly crawler: string; readonly count: number }[];
  readonly unread: readonly { readonly crawler: string; readonly reason: string; readonly count: number }[];
  readonly bytes: readonly { readonly crawler: string; readonly count: number }[];
  readonly links: readonly { readonly crawler: string; readonly discovered: number; readonly refused: number }[];
  readonly orders: readonly {
    readonly crawler: string;
    readonly kind: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** Mean over the last refresh visits of a crawler; none before the first. */
  readonly visitPrices: readonly { readonly crawler: string; readonly price: Duration }[];
  readonly fetchSeconds: {
    readonly sum: number;
    readonly count: number;
    readonly buckets: readonly (readonly [le: number, count: number])[];
  };
  readonly heldDeletions: number;
  /** Commands between nodes that failed too often. */
  readonly commandsSetAside: number;
  readonly activeFetches: number;
}
