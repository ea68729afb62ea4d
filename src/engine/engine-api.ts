/** What the server and the command line need from the engine. Views are plain data, ready to be displayed. */

import { type ServerDefinition } from '../domain/crawl/definition.js';
import { type CrawlerRunState } from '../domain/crawl/run-state.js';
import { type SourceNumber } from '../domain/frontier/sources.js';
import { type PushDocument } from '../domain/push/order.js';
import { type IndexNowResponse, type IndexNowSubmission } from '../domain/signals/indexnow.js';
import type { HubRequest } from '../domain/signals/websub.js';
import { type Duration } from '../domain/time/units.js';
import { type TextLine } from '../domain/url/url-list.js';
import type { TrialRequest } from './control/content-trials.js';
import { type RefusedView } from './crawl/frontier/refused-view.js';
import { type EngineMetrics } from './crawl/load/engine-metrics.js';
import { type LoginView } from './crawl/logins/logins.js';
import { type RenderPatternView } from './crawl/visit/rendered-visits.js';
import { type SinkView } from './delivery/sink-view.js';
import { type CrawlEvent } from './events.js';
import {
  type FolderStep,
  type LedgerEntry,
  type LedgerFilter,
  type QueuedUrl,
  type SearchStep,
  type UrlFilter,
} from './ports/frontier-store.js';
import type { OwedCount } from './ports/owed-orders.js';
import { type PluginView } from './ports/plugins.js';
import {
  type CrawlerView,
  type PreviewReport,
  type RootSubmission,
  type RootView,
  type SubmitOutcome,
} from './views/crawler-views.js';
import { type BackfillView, type HeldDeletions, type ReconciliationReport } from './views/delivery-views.js';
import { type HostView } from './views/host-views.js';
import {
  type ContentTrial,
  type ErrorClassView,
  type ErrorHostView,
  type LineProblem,
  type PageView,
  type RefreshOutcome,
  type RefreshRequest,
  type SurveyView,
  type UrlChoice,
  type UrlExplanation,
  type UrlHistory,
} from './views/url-views.js';

export interface EngineApi {
  readonly definition: ServerDefinition;
  /** Returns the response to a hub that verifies the intent of a subscription; undefined if none was intended. */
  confirmHub(token: string, request: HubRequest): Promise<string | undefined>;
  /** To be called when a hub reports a change to a feed; false if this server did not subscribe to it. */
  handleHubNotification(token: string): Promise<boolean>;
  listCrawlers(): Promise<CrawlerView[]>;
  getCrawler(name: string): Promise<CrawlerView>;
  /** See FrontierStore.findOldest. */
  findOldestQueued(crawler: string): Promise<ReadonlyMap<SourceNumber, QueuedUrl>>;
  setRunState(name: string, state: CrawlerRunState): Promise<void>;
  /** Replaces the definition; stored URLs are judged again in the background. */
  reconfigure(definition: ServerDefinition): Promise<void>;

  submit(crawler: string, roots: readonly RootSubmission[]): Promise<SubmitOutcome[]>;
  /**
   * Submits the URLs of a list in mnoGoSearch's format; with deleteNoServer="no", each stands for its whole server.
   * Returns one outcome for each, in the same order.
   */
  submitList(crawler: string, urls: readonly string[]): Promise<SubmitOutcome[]>;
  /** Submits URLs that their site reports as changed. */
  submitIndexNow(submission: IndexNowSubmission): Promise<IndexNowResponse>;
  /**
   * Lists configured roots, then submitted ones, each sorted by URL: at most `limit` (default: all) after a position.
   */
  listRoots(crawler: string, after?: string, limit?: number): Promise<RootView[]>;
  removeRoot(crawler: string, url: string): Promise<void>;

  /** Returns the stored URLs after an id that one step of the search finds. */
  searchUrls(filter: UrlFilter & { crawler: string }, after: number, limit: number): Promise<SearchStep>;
  /** See FrontierStore.count. */
  countUrls(filter: UrlFilter, signal?: AbortSignal): Promise<number>;
  /** The survey may be up to a minute old. */
  getSurvey(crawler: string): Promise<SurveyView>;
  getUrlHistory(crawler: string, url: string): Promise<UrlHistory>;
  explain(crawler: string, url: string, from?: string): Promise<UrlExplanation>;
  /** @param render runs the page's scripts and compares the page as it was sent with the result */
  viewPage(crawler: string, url: string, render?: boolean): Promise<PageView>;
  /** Like viewPage(), but under any definition, in force or not, and with robots.txt; nothing is stored. See FirstLook. */
  previewPage(definition: ServerDefinition, crawler: string, url: string): Promise<PageView>;
  /** Shows what a content definition would extract from a page; nothing is stored. See ContentTrials. */
  tryContent(crawler: string, request: TrialRequest): Promise<ContentTrial>;
  listRefusedLinks(crawler: string): Promise<RefusedView[]>;
  /** Deletes the matching URLs and their documents; returns the number of matching URLs. */
  clear(crawler: string, choice: UrlChoice): Promise<number>;
  /** Refreshes one URL, or all that match. */
  refresh(crawler: string, request: RefreshRequest): Promise<RefreshOutcome>;
  clearErrors(crawler: string): Promise<number>;
  /** URLs in error by error code, most frequent first. */
  countErrorsByClass(crawler: string, hostKey?: string): Promise<ErrorClassView[]>;
  /** Hosts with an error code, those with the most URLs first; `after` is the last host of the previous page. */
  listFailingHosts(
    crawler: string,
    code: string,
    after: { readonly urls: number; readonly hostKey: string } | undefined,
    limit: number,
  ): Promise<ErrorHostView[]>;
  exportPendingUrls(crawler: string): AsyncIterable<string>;
  importPendingUrls(
    crawler: string,
    lines: Iterable<TextLine>,
  ): Promise<{ imported: number; known: number; problems: readonly LineProblem[] }>;

  listHosts(crawler: string, after: string | undefined, limit: number): Promise<HostView[]>;
  getHost(hostKey: string): Promise<HostView>;
  /**
   * Lists the contents of a folder of a host that one step finds; `folder` ends with a slash, or is empty for the whole
   * host.
   */
  listFolders(crawler: string, hostKey: string, folder: string, after: number): Promise<FolderStep>;
  setHostPaused(hostKey: string, paused: boolean): Promise<void>;
  /** Returns what `render="auto"` has learned about a host's pages, and what an operator has decided about them. */
  getHostRendering(hostKey: string): Promise<readonly RenderPatternView[]>;
  /**
   * @param patternOrUrl a pattern, or a URL that matches it
   * @param render undefined restores what has been learned
   */
  overruleRendering(hostKey: string, patternOrUrl: string, render: 'always' | 'never' | undefined): Promise<void>;

  /** Yields a growing report; the last one is `done`. Nothing is changed. */
  preview(definition: ServerDefinition): AsyncIterable<PreviewReport>;

  listOrders(filter: LedgerFilter, before: number | undefined, limit: number): Promise<LedgerEntry[]>;
  retryOrder(id: number): Promise<LedgerEntry>;
  listHeldDeletions(): Promise<HeldDeletions[]>;
  releaseHeldDeletions(hostKey: string): Promise<number>;
  dropHeldDeletions(hostKey: string): Promise<number>;
  /** The state as this server sees it. */
  listLogins(): LoginView[];
  /** Logs in now, whatever the result of earlier attempts. */
  testLogin(name: string): Promise<LoginView>;
  /** The state as this server sees it. */
  listSinks(): SinkView[];
  /** The state merged from all servers on the database. */
  listAllSinks(): Promise<SinkView[]>;
  /** Sends everything that is indexed to a sink, for all crawlers that push to it or for one of them. */
  pushAgain(sink: string, crawler?: string): Promise<BackfillView[]>;
  /** Covers this server only. */
  listPlugins(): readonly PluginView[];
  listBackfills(): Promise<BackfillView[]>;
  /** Counts what sinks have yet to receive because they were slow or down while others kept up. */
  countOwedOrders(): Promise<OwedCount[]>;
  /** The document of a URL as a sink of the crawler keeps it; undefined if no sink returns it. */
  findKeptDocument(crawler: string, url: string): Promise<PushDocument | undefined>;
  /** Compares the documents that the sink holds with those it should hold according to the store. */
  reconcile(sink: string, repair: boolean): Promise<ReconciliationReport>;

  /** To be called when something that all servers share has changed in the database. */
  notifyOthers(): Promise<void>;
  subscribe(listener: (event: CrawlEvent) => void): () => void;
  /** Crawlers that have become idle on this server since the last call. */
  takeCaughtUpCrawlers(): readonly string[];
  /** Reports events on this server for as long as it runs; the observer must not throw. */
  observe(observer: (event: CrawlEvent) => void): void;
  /** Covers this server only. */
  getMetrics(): Promise<EngineMetrics>;
  /**
   * Counters of every server on the database that crawls, by a name that is valid as long as its process runs; '' is
   * this server.
   */
  getCounters(): Promise<ReadonlyMap<string, Pick<EngineMetrics, 'pages' | 'orders'>>>;
  /** True once everything that was stored has been loaded; before that, results would be wrong. */
  readonly isOpen: boolean;
  /** Whether the engine is ready to work: it is open and the store is responding. */
  getReadiness(): Promise<{ ready: boolean; reasons: readonly string[] }>;
  /** Starts no new fetch; orders in memory are delivered or left for the next start. */
  drain(timeout: Duration): Promise<void>;
}
