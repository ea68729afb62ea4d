/**
 * The engine runs all crawlers of a server over one store, one page processor and one set of sinks. It assembles the
 * parts and implements EngineApi; the behavior is in the parts.
 */
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { type CrawlerRunState } from '../domain/crawl/run-state.js';
import type { RootContext } from '../domain/policy/verdict.js';
import { after, type Duration, milliseconds } from '../domain/time/units.js';
import { toLikePrefix } from '../domain/url/like-pattern.js';
import type { TextLine } from '../domain/url/url-list.js';
import { mergeMetrics } from './cluster/sum-metrics.js';
import { FirstLook } from './control/first-look.js';
import { previewChanges } from './control/preview.js';
import { Rejudging } from './control/rejudging.js';
import { findRestingHosts } from './control/resting-hosts.js';
import type { Crawler } from './crawl/crawler.js';
import { createCrawler } from './crawl/create-crawler.js';
import { type EngineMetrics } from './crawl/load/engine-metrics.js';
import type { LoginView } from './crawl/logins/logins.js';
import type { CrawlServices } from './crawl/services.js';
import { createParts, type EngineParts } from './create-parts.js';
import { createServices, type EnginePorts } from './create-services.js';
import { KeptDocuments } from './delivery/kept-documents.js';
import { SinkPool } from './delivery/sink-pool.js';
import { type EngineApi } from './engine-api.js';
import { type CrawlContext, compileContexts } from './page/crawl-context.js';
import { CONNECTOR_SETTING, DEFAULT_CONNECTOR } from './ports/sink.js';
import { StartMark } from './start-mark.js';
import { createUnknownNameError } from './support/api-errors.js';
import {
  type CrawlerView,
  type PreviewReport,
  type RootSubmission,
  type SubmitOutcome,
} from './views/crawler-views.js';

const DRAIN_STEP = milliseconds(50);

export class Engine implements EngineApi {
  private currentDefinition: ServerDefinition = { crawlers: [], fetchers: [], sinks: [] };
  private readonly crawlersByName = new Map<string, Crawler>();
  private readonly services: CrawlServices;
  private readonly sinkPool: SinkPool;
  private readonly rejudging: Rejudging;
  private readonly kept: KeptDocuments;
  private readonly parts: EngineParts;
  private readonly startMark: StartMark;
  isOpen = false;

  constructor(private readonly ports: EnginePorts) {
    const { store, processor, clock, log, cron, createSink } = ports;
    this.rejudging = new Rejudging({ store, processor, clock, log, cron });
    this.kept = new KeptDocuments((name) => this.sinkPool.get(name)?.sink);
    this.services = createServices(ports, this.crawlersByName, this.rejudging, this.kept);
    this.startMark = new StartMark(this.services);
    const { events, delivery } = this.services;
    const isKnown = (uri: string) => this.isKnown(uri);
    const onAnswered = (): void => {
      for (const crawler of this.crawlersByName.values()) crawler.wake();
    };
    this.sinkPool = new SinkPool({ clock, log, events, delivery, createSink, isKnown, onAnswered });
    this.parts = createParts(ports, this.services, {
      rejudging: this.rejudging,
      kept: this.kept,
      crawlersByName: this.crawlersByName,
      getDefinition: () => this.currentDefinition,
      takeLead: () => this.takeOverLead(),
    });
    this.services.logins.onRecovery = ({ name, url }) => this.refreshPagesBehindLogin(name, url);
  }

  get definition(): ServerDefinition {
    return this.currentDefinition;
  }

  /** Starts working: loads what was stored and starts the crawlers that no operator has stopped. */
  async open(definition: ServerDefinition): Promise<void> {
    await this.services.ledger.open();
    await this.services.inDoubt.open();
    await this.services.owing.open();
    this.sinkPool.connector = (await this.services.store.getSetting(CONNECTOR_SETTING)) ?? DEFAULT_CONNECTOR;
    await this.startMark.set(definition);
    await this.reconfigure(definition);
    const { nodes, partitions, events } = this.services;
    await nodes.open(this.parts.control, () => events.isWatched);
    if (partitions.shared) this.parts.control.startRelayingEvents();
    else await this.resume();
    await partitions.open(this.parts.rebalance);
    this.parts.housekeeping.start();
    this.isOpen = true;
  }

  async reconfigure(definition: ServerDefinition): Promise<void> {
    const contexts = compileContexts(definition); // throws before anything is changed
    const roots = await this.addStoredRoots(contexts);
    const configuring = this.ports.processor.configure(definition);
    // Right after the configuration, since no page may be judged without them.
    for (const [crawler, root] of roots) this.ports.processor.addRoot(crawler, root);
    await configuring;
    await this.services.logins.configure(definition);
    this.services.subscriptions.configure(definition.webSub);
    this.sinkPool.configure(definition);
    this.kept.forgetReaders();
    this.currentDefinition = definition;
    for (const [name, crawler] of this.crawlersByName) {
      if (contexts.has(name)) continue;
      this.parts.policyChanges.stop(name);
      this.parts.backfills.stop(name);
      crawler.close();
      this.crawlersByName.delete(name);
    }
    // Configures all crawlers before the store is used: a failing store must not leave a crawler with outdated rules.
    const rootsBefore = new Map<string, Iterable<string>>();
    for (const [name, context] of contexts) {
      const existing = this.crawlersByName.get(name);
      if (existing) rootsBefore.set(name, existing.context.roots.keys());
      existing?.configure(context);
      this.crawlersByName.set(name, existing ?? createCrawler(context, this.services));
    }
    for (const name of contexts.keys()) {
      const crawler = this.getCrawlerOrThrow(name);
      await this.parts.roots.admitRoots(crawler, rootsBefore.get(name));
      await this.parts.policyChanges.apply(crawler, this.currentDefinition);
      await this.parts.backfills.startOrResume(crawler);
      await crawler.setState(await this.parts.control.getStoredState(name));
    }
    this.parts.catchUp.startAll();
    this.services.events.emit({ type: 'configuration', message: 'the configuration was loaded' });
  }

  async listCrawlers(): Promise<CrawlerView[]> {
    return this.parts.cluster.viewCrawlers([...this.crawlersByName.values()]);
  }

  async getCrawler(name: string): Promise<CrawlerView> {
    return (await this.parts.cluster.viewCrawlers([this.getCrawlerOrThrow(name)]))[0]!;
  }

  async setRunState(name: string, state: CrawlerRunState): Promise<void> {
    await this.parts.control.setState(this.getCrawlerOrThrow(name), state);
  }

  /**
   * Must be called when the configuration has changed in the database; `onConfigurationChange` sets how it is read
   * again.
   */
  notifyOthers = (): Promise<void> => this.services.nodes.notifyControlChanged();

  /** @param load puts a configuration into force here that another node has stored */
  onConfigurationChange(load: () => Promise<void>): void {
    this.parts.control.onChange = load;
  }

  async submit(name: string, roots: readonly RootSubmission[]): Promise<SubmitOutcome[]> {
    return this.parts.roots.submit(this.getCrawlerOrThrow(name), roots);
  }

  submitList = (name: string, urls: readonly string[]) =>
    this.parts.roots.submitList(this.getCrawlerOrThrow(name), urls);
  submitIndexNow: EngineApi['submitIndexNow'] = (submission) => this.parts.indexNow.submit(submission);
  confirmHub: EngineApi['confirmHub'] = (token, request) => this.services.subscriptions.confirm(token, request);
  handleHubNotification: EngineApi['handleHubNotification'] = (token) =>
    this.services.subscriptions.handleNotification(token);
  listRoots: EngineApi['listRoots'] = async (name, after = '', limit = Number.POSITIVE_INFINITY) =>
    this.parts.roots.list(this.getCrawlerOrThrow(name), after, limit);
  removeRoot = (name: string, url: string) => this.parts.roots.remove(this.getCrawlerOrThrow(name), url);

  searchUrls: EngineApi['searchUrls'] = async (filter, afterId, limit) =>
    this.services.store.search({ ...filter, crawler: this.getCrawlerOrThrow(filter.crawler).name }, afterId, limit);
  countUrls: EngineApi['countUrls'] = (filter, signal) => this.services.store.count(filter, signal);
  findOldestQueued: EngineApi['findOldestQueued'] = async (name) =>
    this.services.store.findOldest(this.getCrawlerOrThrow(name).name);
  getUrlHistory = (name: string, url: string) =>
    this.parts.explanations.getUrlHistory(this.getCrawlerOrThrow(name), url);
  explain = (name: string, url: string, from?: string) =>
    this.parts.explanations.explain(this.getCrawlerOrThrow(name), url, from);
  viewPage: EngineApi['viewPage'] = (name, url, render) =>
    this.parts.explanations.viewPage(this.getCrawlerOrThrow(name), url, render);
  tryContent: EngineApi['tryContent'] = (name, request) =>
    this.parts.trials.run(this.getCrawlerOrThrow(name), this.currentDefinition, request);
  previewPage: EngineApi['previewPage'] = (definition, crawler, url) => {
    const { openProcessor } = this.ports;
    if (!openProcessor) throw new Error('this engine cannot open a separate page processor for previews');
    return new FirstLook(this.services, openProcessor).viewPage(definition, crawler, url);
  };
  listRefusedLinks = async (name: string) => this.parts.cluster.listRefusedLinks(this.getCrawlerOrThrow(name));
  getSurvey = async (name: string) => this.parts.surveys.get(this.getCrawlerOrThrow(name));
  clear: EngineApi['clear'] = (name, choice) => this.parts.maintenance.clear(this.getCrawlerOrThrow(name), choice);
  refresh: EngineApi['refresh'] = async (name, request) => {
    const resting = await findRestingHosts(this.getCrawlerOrThrow(name), request, this.services);
    return { count: await this.parts.maintenance.refresh(this.getCrawlerOrThrow(name), request), resting };
  };
  clearErrors = (name: string) => this.parts.maintenance.clearErrors(this.getCrawlerOrThrow(name));
  countErrorsByClass: EngineApi['countErrorsByClass'] = async (name, hostKey) =>
    this.services.store.countFailing(this.getCrawlerOrThrow(name).name, this.ports.clock.now(), hostKey);
  listFailingHosts: EngineApi['listFailingHosts'] = async (name, code, afterHost, limit) =>
    this.services.store.listFailingHosts(
      this.getCrawlerOrThrow(name).name,
      code,
      this.ports.clock.now(),
      afterHost,
      limit,
    );
  exportPendingUrls = (name: string) => this.parts.maintenance.exportPendingUrls(this.getCrawlerOrThrow(name));
  importPendingUrls = (name: string, lines: Iterable<TextLine>) =>
    this.parts.maintenance.importPendingUrls(this.getCrawlerOrThrow(name), lines);

  listHosts: EngineApi['listHosts'] = (name, afterHost, limit) =>
    this.parts.hostViews.list(this.getCrawlerOrThrow(name).name, afterHost, limit);
  getHost = (hostKey: string) => this.parts.hostViews.get(hostKey);
  listFolders: EngineApi['listFolders'] = (name, hostKey, folder, afterId) =>
    this.parts.hostViews.listFolders(this.getCrawlerOrThrow(name).name, hostKey, folder, afterId);
  setHostPaused = (hostKey: string, paused: boolean) => this.parts.hostViews.setPaused(hostKey, paused);
  getHostRendering: EngineApi['getHostRendering'] = (hostKey) => this.parts.hostViews.viewRendering(hostKey);
  overruleRendering: EngineApi['overruleRendering'] = (hostKey, patternOrUrl, render) =>
    this.parts.hostViews.overruleRendering(hostKey, patternOrUrl, render);

  async *preview(definition: ServerDefinition): AsyncIterable<PreviewReport> {
    const contexts = compileContexts(definition);
    await this.addStoredRoots(contexts);
    yield* previewChanges(contexts, this.ports.store, this.rejudging);
  }

  private async addStoredRoots(contexts: ReadonlyMap<string, CrawlContext>): Promise<[string, RootContext][]> {
    const storedRoots: [string, RootContext][] = [];
    for (const [name, context] of contexts) {
      for (const root of await this.parts.roots.readStored(name, context)) {
        context.roots.set(root.url.href, root);
        storedRoots.push([name, root]);
      }
    }
    return storedRoots;
  }

  listOrders: EngineApi['listOrders'] = (filter, beforeId, limit) => this.parts.orders.list(filter, beforeId, limit);
  retryOrder = (id: number) => this.parts.orders.retry(id);
  listHeldDeletions = () => this.parts.orders.listHeldDeletions();
  releaseHeldDeletions = (hostKey: string) => this.parts.orders.releaseHeldDeletions(hostKey);
  dropHeldDeletions = (hostKey: string) => this.parts.orders.dropHeldDeletions(hostKey);
  listLogins = () => this.services.logins.list();
  async testLogin(name: string): Promise<LoginView> {
    const view = await this.services.logins.test(name);
    if (view) return view;
    const names = this.listLogins().map((login) => login.name);
    throw createUnknownNameError('login', name, names);
  }
  listSinks = () => this.services.delivery.listViews();
  listAllSinks = () => this.parts.cluster.viewSinks();
  getCounters = () => this.parts.cluster.getCounters();
  pushAgain: EngineApi['pushAgain'] = (sink, crawler) => this.parts.backfills.pushAgain(sink, crawler);
  findKeptDocument: EngineApi['findKeptDocument'] = async (name, url) => {
    const { context } = this.getCrawlerOrThrow(name);
    const href = context.canonicalize(url)?.href ?? url;
    for (const sink of context.definition.pushTo) {
      const kept = await this.kept.find(sink, href);
      if (kept?.crawler === name) return kept.document;
    }
    return undefined;
  };
  listPlugins: EngineApi['listPlugins'] = () => this.ports.plugins?.listViews() ?? [];
  countOwedOrders: EngineApi['countOwedOrders'] = () => this.services.store.countOwed();
  listBackfills: EngineApi['listBackfills'] = () => this.parts.backfills.list();
  reconcile = (name: string, repair: boolean) =>
    this.parts.reconciliation.run(this.sinkPool.get(name)?.sink, name, repair);

  takeCaughtUpCrawlers: EngineApi['takeCaughtUpCrawlers'] = () =>
    [...this.crawlersByName.values()].filter((crawler) => crawler.consumeCaughtUp()).map(({ name }) => name);
  observe: EngineApi['observe'] = (observer) => this.services.events.observe(observer);
  subscribe: EngineApi['subscribe'] = (listener) => this.services.events.subscribe(listener);

  async getMetrics(): Promise<EngineMetrics> {
    const { store } = this.services;
    const heldDeletions =
      (await store.countOrders({ state: 'held' })) + (await store.countOrders({ state: 'awaiting' }));
    const commandsSetAside = await this.services.nodes.countCommandsSetAside();
    return { ...mergeMetrics([...this.crawlersByName.values()], heldDeletions), commandsSetAside };
  }

  async getReadiness(): Promise<{ ready: boolean; reasons: readonly string[] }> {
    if (!this.isOpen) return { ready: false, reasons: ['the server is starting'] };
    try {
      await this.services.store.getSetting('ready');
      return { ready: true, reasons: [] };
    } catch (error) {
      return { ready: false, reasons: [`the store is not responding: ${(error as Error).message}`] };
    }
  }

  async drain(timeout: Duration): Promise<void> {
    const { clock, delivery, hosts } = this.services;
    const deadline = after(clock.now(), timeout);
    this.parts.housekeeping.stop();
    for (const part of [this.parts.policyChanges, this.parts.backfills, this.parts.catchUp]) part.stopAll();
    for (const crawler of this.crawlersByName.values()) crawler.close();
    delivery.expedite();
    // What a sink does not accept in time is not settled, so it is fetched and pushed again after the next start.
    while (this.countInFlight() > 0 && !this.waitsForSinksOnly() && clock.now() < deadline) {
      await clock.sleep(DRAIN_STEP);
      delivery.expedite();
    }
    await hosts.save();
    await this.services.partitions.close();
    await this.services.nodes.close();
    await this.startMark.clear(this.countInFlight());
    hosts.close();
    await this.sinkPool.close();
    await this.parts.trials.close();
    await this.ports.processor.close();
    await this.services.store.close();
  }

  private async isKnown(uri: string): Promise<boolean> {
    for (const name of this.crawlersByName.keys()) if (await this.services.store.find(name, uri)) return true;
    return false;
  }

  /** Visits URLs again that could not be read because of a login that now works again. */
  private refreshPagesBehindLogin(login: string, prefix: string): void {
    const like = toLikePrefix(prefix);
    for (const crawler of this.crawlersByName.values()) {
      this.parts.maintenance.refresh(crawler, { like, reason: 'login-failed' }).catch((error: unknown) => {
        const facts = { login, crawler: crawler.name, error: String(error) };
        this.services.log.warn(
          'could not refresh the pages that need the login, so they wait for their next visit',
          facts,
        );
      });
    }
  }

  /** True if nothing is left to do before an unavailable sink comes back. */
  private waitsForSinksOnly(): boolean {
    const { delivery } = this.services;
    return delivery.isBlocked && [...this.crawlersByName.values()].every((crawler) => !crawler.isDeciding);
  }

  private countInFlight(): number {
    return [...this.crawlersByName.values()].reduce((sum, crawler) => sum + crawler.visitsInFlight, 0);
  }

  private getCrawlerOrThrow(name: string): Crawler {
    const crawler = this.crawlersByName.get(name);
    if (crawler) return crawler;
    throw createUnknownNameError('crawler', name, [...this.crawlersByName.keys()]);
  }

  private async resume(): Promise<void> {
    for (const crawler of this.crawlersByName.values()) await this.parts.maintenance.resume(crawler);
  }

  /** Continues the work that one node does for all. */
  private takeOverLead(): void {
    const resume = async (): Promise<void> => {
      await this.resume();
      for (const crawler of this.crawlersByName.values()) {
        await this.parts.policyChanges.apply(crawler, this.currentDefinition);
        await this.parts.backfills.startOrResume(crawler);
      }
    };
    resume().catch((error: unknown) =>
      this.services.log.error('could not resume the work of the previous leading node', { error: String(error) }),
    );
  }
}
