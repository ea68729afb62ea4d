/** What the server and the command line need from the engine. Views are plain data, ready to be displayed. */
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { CrawlerRunState } from '../domain/crawl/run-state.js';
import type { Duration } from '../domain/time/units.js';
import type { Backfills } from './control/backfills.js';
import type { ContentTrials } from './control/content-trials.js';
import type { Explanations } from './control/explanations.js';
import type { FormerCrawlers } from './control/former-crawlers.js';
import type { HostViews } from './control/host-views.js';
import type { IndexChanges } from './control/index-changes.js';
import type { IndexNow } from './control/indexnow.js';
import type { Maintenance } from './control/maintenance.js';
import type { Orders } from './control/orders.js';
import type { PauseEnds } from './control/pause-ends.js';
import type { PendingUrls } from './control/pending-urls.js';
import type { Reconciliation } from './control/reconciliation.js';
import type { Roots } from './control/roots.js';
import type { SinkAdoption } from './control/sink-adoption.js';
import type { SinkSwitch } from './control/sink-switch.js';
import type { SiteMoveDecisions } from './control/site-move-decisions.js';
import type { Surveys, UrlLists } from './control/url-lists.js';
import type { HubSubscriptions } from './crawl/evidence/hub-subscriptions.js';
import type { EngineMetrics } from './crawl/load/metrics.js';
import type { Quotas } from './crawl/load/quotas.js';
import type { Usage } from './crawl/load/usage.js';
import type { LoginView } from './crawl/logins/logins.js';
import type { SinkView } from './delivery/sink-view.js';
import type { PluginView } from './ports/plugins.js';
import type { CrawlEvents } from './support/crawl-events.js';
import type { CrawlerView, PreviewReport } from './views/crawler-views.js';
import type { PageView } from './views/url-views.js';

/** The parts of the engine that carry out what users ask for. Names of crawlers are checked: NotFound. */
export interface EngineParts {
  readonly roots: Pick<Roots, 'submit' | 'submitList' | 'list' | 'remove'>;
  readonly urls: Pick<
    UrlLists,
    | 'search'
    | 'count'
    | 'findOldestQueued'
    | 'countErrorsByClass'
    | 'listFailingHosts'
    | 'listRefusedLinks'
    | 'findKeptDocument'
  >;
  readonly explanations: Pick<Explanations, 'explain' | 'getUrlHistory' | 'viewPage'>;
  readonly maintenance: Pick<Maintenance, 'clear' | 'refresh' | 'clearErrors'>;
  readonly pendingUrls: Pick<PendingUrls, 'export' | 'import'>;
  readonly surveys: Pick<Surveys, 'get'>;
  readonly trials: Pick<ContentTrials, 'run'>;
  readonly hosts: Pick<HostViews, 'list' | 'get' | 'listFolders' | 'setPaused' | 'viewRendering' | 'overruleRendering'>;
  readonly moves: Pick<SiteMoveDecisions, 'list' | 'decide'>;
  readonly orders: Pick<
    Orders,
    | 'list'
    | 'retry'
    | 'retryRefused'
    | 'countOwed'
    | 'countRefused'
    | 'listHeldDeletions'
    | 'compareHeldChanges'
    | 'releaseHeldDeletions'
    | 'dropHeldDeletions'
  >;
  readonly formerCrawlers: Pick<FormerCrawlers, 'list' | 'decide' | 'requirePossible'>;
  readonly reports: {
    readonly changes: Pick<IndexChanges, 'list' | 'listTextChanges'>;
    readonly quotas: Pick<Quotas, 'list'>;
    readonly usage: Pick<Usage, 'list'>;
  };
  readonly pauseEnds: Pick<PauseEnds, 'set' | 'find'>;
  readonly backfills: Pick<Backfills, 'list' | 'pushAgain'>;
  readonly reconciliation: Pick<Reconciliation, 'run'>;
  readonly sinkAdoption: Pick<SinkAdoption, 'run'>;
  readonly sinkSwitch: Pick<SinkSwitch, 'run'>;
  readonly logins: {
    /** The states as this server sees them. */
    list(): LoginView[];
    /** The states as the servers see them that crawl the hosts. */
    listAll(): Promise<LoginView[]>;
    /** @throws NotFound, Unacceptable */
    test(name: string): Promise<LoginView>;
    /** Sets what is done before each test that this server carries out: rereading external secrets. */
    onTest(renewSecrets: () => Promise<void>): void;
  };
  readonly indexNow: Pick<IndexNow, 'submit'>;
  readonly subscriptions: Pick<HubSubscriptions, 'confirm' | 'handleNotification'>;
  readonly events: Pick<CrawlEvents, 'subscribe' | 'observe'>;
}

export interface EngineApi extends EngineParts {
  readonly definition: ServerDefinition;
  /** Replaces the definition; stored URLs are judged again in the background. */
  reconfigure(definition: ServerDefinition): Promise<void>;
  /**
   * Yields a growing report; the last one is `done`. Nothing is changed.
   * @param only limits it to these crawlers: a change of the part of some does nothing to others
   */
  preview(definition: ServerDefinition, only?: ReadonlySet<string>): AsyncIterable<PreviewReport>;
  /** Shows a page under any definition, in force or not, and with robots.txt; nothing is stored. See FirstLook. */
  previewPage(definition: ServerDefinition, crawler: string, url: string): Promise<PageView>;

  listCrawlers(): Promise<CrawlerView[]>;
  getCrawler(name: string): Promise<CrawlerView>;
  setRunState(name: string, state: CrawlerRunState): Promise<void>;
  /** Crawlers that have become idle on this server since the last call. */
  takeCaughtUpCrawlers(): readonly string[];

  /** The state as this server sees it. */
  listSinks(): SinkView[];
  /** The state merged from all servers on the database. */
  listAllSinks(): Promise<SinkView[]>;
  /** Covers this server only. */
  listPlugins(): readonly PluginView[];

  /** To be called when something that all servers share has changed in the database. */
  notifyOthers(): Promise<void>;
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
