/**
 * The engine runs all crawlers of a server over one store, one page processor and one set of sinks. It assembles the
 * parts and implements EngineApi; the behavior is in the parts.
 */
import { HOLD_CAUSES } from '../domain/crawl/change-guard.js';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { type CrawlerRunState } from '../domain/crawl/run-state.js';
import type { RootContext } from '../domain/policy/verdict.js';
import { runWithPauses } from '../domain/steps.js';
import { after, type Duration, milliseconds } from '../domain/time/units.js';
import { toLikePrefix } from '../domain/url/like-pattern.js';
import { FirstLook } from './control/first-look.js';
import { PauseEnds } from './control/pause-ends.js';
import { previewChanges } from './control/preview.js';
import { Rejudging } from './control/rejudging.js';
import { Crawlers } from './crawl/crawlers.js';
import { createCrawler } from './crawl/create-crawler.js';
import { type EngineMetrics, mergeMetrics } from './crawl/load/metrics.js';
import type { CrawlServices } from './crawl/services.js';
import { type CreatedParts, createParts } from './create-parts.js';
import { createServices, type EnginePorts } from './create-services.js';
import { KeptDocuments } from './delivery/kept-documents.js';
import { SinkPool } from './delivery/sink-pool.js';
import type { EngineApi, EngineParts } from './engine-api.js';
import { type CrawlContext, compileContextsInSteps } from './page/crawl-context.js';
import { CONNECTOR_SETTING, DEFAULT_CONNECTOR } from './ports/sink.js';
import { StartMark } from './start-mark.js';
import type { CrawlerView, PreviewReport } from './views/crawler-views.js';
import type { PageView } from './views/url-views.js';

const DRAIN_STEP = milliseconds(50);

export class Engine implements EngineApi {
  private currentDefinition: ServerDefinition = { crawlers: [], fetchers: [], sinks: [] };
  private readonly crawlers = new Crawlers();
  private readonly services: CrawlServices;
  private readonly sinkPool: SinkPool;
  private readonly rejudging: Rejudging;
  private readonly kept: KeptDocuments;
  private readonly parts: CreatedParts;
  private readonly startMark: StartMark;
  readonly roots: EngineParts['roots'];
  readonly urls: EngineParts['urls'];
  readonly explanations: EngineParts['explanations'];
  readonly maintenance: EngineParts['maintenance'];
  readonly pendingUrls: EngineParts['pendingUrls'];
  readonly surveys: EngineParts['surveys'];
  readonly trials: EngineParts['trials'];
  readonly hosts: EngineParts['hosts'];
  readonly moves: EngineParts['moves'];
  readonly orders: EngineParts['orders'];
  readonly formerCrawlers: EngineParts['formerCrawlers'];
  readonly reports: EngineParts['reports'];
  readonly pauseEnds: PauseEnds;
  readonly backfills: EngineParts['backfills'];
  readonly reconciliation: EngineParts['reconciliation'];
  readonly sinkAdoption: EngineParts['sinkAdoption'];
  readonly sinkSwitch: EngineParts['sinkSwitch'];
  readonly indexNow: EngineParts['indexNow'];
  readonly logins: EngineParts['logins'];
  readonly subscriptions: EngineParts['subscriptions'];
  readonly events: EngineParts['events'];
  isOpen = false;

  constructor(private readonly ports: EnginePorts) {
    const { store, processor, clock, log, cron, createSink } = ports;
    this.rejudging = new Rejudging({ store, processor, clock, log, cron });
    this.kept = new KeptDocuments((name) => this.sinkPool.get(name)?.sink);
    this.services = createServices(ports, this.crawlers, this.rejudging, this.kept);
    const { events, webServers, outcomes, visitTools } = this.services;
    const { delivery } = outcomes;
    this.startMark = new StartMark({ ...this.services, ...webServers, outcomes });
    const isKnown = (uri: string) => this.isKnown(uri);
    const onAnswered = (): void => {
      for (const crawler of this.crawlers.list()) crawler.wake();
    };
    const retryOrders = (ids: readonly number[]): void => void this.parts.orders.retryAll(ids);
    this.sinkPool = new SinkPool({ clock, log, events, delivery, createSink, isKnown, onAnswered, retryOrders });
    this.parts = createParts(ports, this.services, {
      rejudging: this.rejudging,
      kept: this.kept,
      crawlers: this.crawlers,
      findSink: (name) => this.sinkPool.get(name)?.sink,
      getDefinition: () => this.currentDefinition,
      takeLead: () => this.takeOverLead(),
      createCrawler: (context) => createCrawler(context, this.services),
    });
    this.roots = this.parts.roots;
    this.urls = this.parts.urls;
    this.explanations = this.parts.explanations;
    this.maintenance = this.parts.maintenance;
    this.pendingUrls = this.parts.pendingUrls;
    this.surveys = this.parts.surveys;
    this.trials = this.parts.trials;
    this.hosts = this.parts.hosts;
    this.moves = this.parts.moves;
    this.orders = this.parts.orders;
    this.formerCrawlers = this.parts.formerCrawlers;
    this.reports = { changes: this.parts.changes, quotas: visitTools.quotas, usage: visitTools.quotas.usage };
    this.pauseEnds = new PauseEnds(this.services, {
      crawler: async (name) => this.setRunState(name, 'running'),
      host: async (name) => this.parts.hosts.setPaused(name, false),
    });
    this.backfills = this.parts.backfills;
    this.reconciliation = this.parts.reconciliation;
    this.sinkAdoption = this.parts.sinkAdoption;
    this.sinkSwitch = this.parts.sinkSwitch;
    this.indexNow = this.parts.indexNow;
    const { cluster } = this.parts;
    this.logins = {
      list: () => visitTools.logins.list(),
      listAll: () => cluster.viewLogins(),
      test: (name) => cluster.testLogin(name),
      onTest: (renewSecrets) => {
        visitTools.logins.renewSecrets = renewSecrets;
      },
    };
    this.subscriptions = visitTools.subscriptions;
    this.events = events;
    this.services.visitTools.quotas.onNewDay = onAnswered;
    visitTools.logins.onRecovery = ({ name, url }) => this.refreshPagesBehindLogin(name, url);
  }

  get definition(): ServerDefinition {
    return this.currentDefinition;
  }

  /** Starts working: loads what was stored and starts the crawlers that no operator has stopped. */
  async open(definition: ServerDefinition): Promise<void> {
    await this.services.outcomes.open();
    await this.services.visitTools.quotas.usage.open();
    this.sinkPool.connector = (await this.services.store.getSetting(CONNECTOR_SETTING)) ?? DEFAULT_CONNECTOR;
    await this.startMark.set(definition);
    await this.reconfigure(definition);
    const { nodes, partitions, events } = this.services;
    await nodes.open(this.parts.control, () => events.isWatched);
    if (partitions.shared) this.parts.control.startRelayingEvents();
    else await this.resume();
    await partitions.open(this.parts.rebalance);
    await this.parts.housekeeping.start();
    await this.pauseEnds.restore();
    this.parts.sinkIdentities.start();
    this.isOpen = true;
  }

  async reconfigure(definition: ServerDefinition): Promise<void> {
    await this.ports.processor.prepare?.(definition);
    const contexts = await this.compile(definition); // throws before anything is changed
    const roots = await this.addStoredRoots(contexts);
    // Before the processor forgets them, since no visit could begin any more.
    for (const crawler of this.crawlers.list()) {
      const { name } = crawler;
      if (contexts.has(name)) continue;
      this.parts.policyChanges.stop(name);
      this.parts.backfills.stop(name);
      this.crawlers.addFormer(crawler);
    }
    const configuring = this.ports.processor.configure(definition);
    // Right after the configuration, since no page may be judged without them.
    for (const [crawler, root] of roots) this.ports.processor.addRoot(crawler, root);
    await configuring;
    await this.services.visitTools.logins.configure(definition);
    this.services.visitTools.subscriptions.configure(definition.webSub);
    this.services.visitTools.ocr.configure(definition.extractors);
    this.sinkPool.configure(definition);
    this.kept.forgetReaders();
    this.currentDefinition = definition;
    // Configures all crawlers before the store is used: a failing store must not leave a crawler with outdated rules.
    const rootsBefore = new Map<string, Iterable<string>>();
    for (const [name, context] of contexts) {
      const existing = this.crawlers.find(name);
      if (existing) rootsBefore.set(name, existing.context.roots.keys());
      if (existing) existing.configure(context);
      else this.crawlers.add(createCrawler(context, this.services));
    }
    await this.services.visitTools.quotas.configure(definition);
    // What kept robots.txt from being read may have been the former configuration.
    this.services.webServers.robots.forgetUnreachable();
    for (const name of contexts.keys()) {
      const crawler = this.crawlers.get(name);
      await this.parts.roots.admitRoots(crawler, rootsBefore.get(name));
      await this.services.visitTools.quotas.count(name);
      await this.parts.policyChanges.apply(crawler, this.currentDefinition);
      await this.parts.backfills.startOrResume(crawler);
      await crawler.setState(await this.parts.control.getStoredState(name));
    }
    await this.parts.formerCrawlers.update(definition);
    this.parts.catchUp.startAll();
    this.parts.sinkIdentities.start();
    this.services.events.emit({ type: 'configuration', message: 'the configuration was loaded' });
  }

  async listCrawlers(): Promise<CrawlerView[]> {
    return this.parts.cluster.viewCrawlers(this.crawlers.list());
  }

  async getCrawler(name: string): Promise<CrawlerView> {
    return (await this.parts.cluster.viewCrawlers([this.crawlers.getStored(name)]))[0]!;
  }

  async setRunState(name: string, state: CrawlerRunState): Promise<void> {
    await this.parts.control.setState(this.crawlers.get(name), state);
  }

  /**
   * Must be called when the configuration has changed in the database; `onConfigurationChange` sets how it is read
   * again.
   */
  notifyOthers = (): Promise<void> => this.services.nodes.notifyControlChanged();

  /** @param load puts a configuration into force here that another node has stored */
  onConfigurationChange(load: () => Promise<void>): void {
    this.parts.control.onChange = async () => {
      await load();
      await this.pauseEnds.restore();
    };
  }

  async previewPage(definition: ServerDefinition, crawler: string, url: string): Promise<PageView> {
    const { openProcessor } = this.ports;
    if (!openProcessor) throw new Error('this engine cannot open a separate page processor for previews');
    return new FirstLook({ ...this.services, ...this.services.webServers }, openProcessor).viewPage(
      definition,
      crawler,
      url,
    );
  }

  async *preview(definition: ServerDefinition, only?: ReadonlySet<string>): AsyncIterable<PreviewReport> {
    const contexts = await this.compile(definition);
    await this.addStoredRoots(contexts);
    const names = this.crawlers.list().map(({ name }) => name);
    const isShown = (name: string) => !only || only.has(name);
    yield* previewChanges(
      new Map([...contexts].filter(([name]) => isShown(name))),
      names.filter(isShown),
      this.ports.store,
      this.rejudging,
    );
  }

  private compile = (definition: ServerDefinition): Promise<Map<string, CrawlContext>> =>
    runWithPauses(compileContextsInSteps(definition), () => this.services.clock.sleep(milliseconds(0)));

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

  listSinks = () => this.services.outcomes.delivery.listViews();
  listAllSinks = () => this.parts.cluster.viewSinks();
  getCounters = () => this.parts.cluster.getCounters();
  listPlugins: EngineApi['listPlugins'] = () => this.ports.plugins?.listViews() ?? [];
  takeCaughtUpCrawlers: EngineApi['takeCaughtUpCrawlers'] = () =>
    this.crawlers
      .list()
      .filter((crawler) => crawler.consumeCaughtUp())
      .map(({ name }) => name);

  async getMetrics(): Promise<EngineMetrics> {
    const { store } = this.services;
    const heldDeletions =
      (await store.countOrders({ state: 'held' })) + (await store.countOrders({ state: 'awaiting' }));
    const heldChanges = await Promise.all(
      HOLD_CAUSES.map(async (cause) => ({
        cause,
        count: await store.countOrders({ state: 'awaiting', reason: cause }),
      })),
    );
    const commandsSetAside = await this.services.nodes.countCommandsSetAside();
    const all = this.crawlers.list().map((crawler) => crawler.getMetrics());
    const databaseBytes = await store.measureSize();
    const quotas = this.services.visitTools.quotas.list();
    return { ...mergeMetrics(all), quotas, heldDeletions, heldChanges, commandsSetAside, databaseBytes };
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
    const { clock, outcomes, webServers } = this.services;
    const { delivery } = outcomes;
    const { hosts } = webServers;
    const deadline = after(clock.now(), timeout);
    this.parts.housekeeping.stop();
    this.pauseEnds.close();
    this.services.visitTools.quotas.close();
    this.parts.sinkIdentities.stop();
    const { policyChanges, backfills, catchUp, formerCrawlers } = this.parts;
    for (const part of [policyChanges, backfills, catchUp, formerCrawlers]) part.stopAll();
    for (const crawler of this.crawlers.list()) crawler.close();
    delivery.expedite();
    // What a sink does not accept in time is not settled, so it is fetched and pushed again after the next start.
    while (this.countInFlight() > 0 && !this.waitsForSinksOnly() && clock.now() < deadline) {
      await clock.sleep(DRAIN_STEP);
      delivery.expedite();
    }
    await hosts.save();
    await this.services.visitTools.quotas.usage.close();
    await this.services.partitions.close();
    await this.services.nodes.close();
    await this.parts.housekeeping.noteTime();
    await this.startMark.clear(this.countInFlight());
    hosts.close();
    await this.sinkPool.close();
    await this.parts.trials.close();
    await this.ports.processor.close();
    await this.services.store.close();
  }

  private async isKnown(uri: string): Promise<boolean> {
    for (const { name } of this.crawlers.listStored()) if (await this.services.store.find(name, uri)) return true;
    return false;
  }

  /** Visits URLs again that could not be read because of a login that now works again. */
  private refreshPagesBehindLogin(login: string, prefix: string): void {
    const like = toLikePrefix(prefix);
    for (const crawler of this.crawlers.list()) {
      this.parts.maintenance.refresh(crawler.name, { like, reason: 'login-failed' }).catch((error: unknown) => {
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
    const { delivery } = this.services.outcomes;
    return delivery.isBlocked && this.crawlers.listStored().every((crawler) => !crawler.isDeciding);
  }

  private countInFlight(): number {
    return this.crawlers.listStored().reduce((sum, crawler) => sum + crawler.visitsInFlight, 0);
  }

  private async resume(): Promise<void> {
    for (const crawler of this.crawlers.list()) await this.parts.maintenance.resume(crawler);
  }

  /** Continues the work that one node does for all. */
  private takeOverLead(): void {
    const resume = async (): Promise<void> => {
      await this.resume();
      for (const crawler of this.crawlers.list()) {
        await this.parts.policyChanges.apply(crawler, this.currentDefinition);
        await this.parts.backfills.startOrResume(crawler);
      }
      await this.parts.formerCrawlers.update(this.currentDefinition);
    };
    resume().catch((error: unknown) =>
      this.services.log.error('could not resume the work of the previous leading node', { error: String(error) }),
    );
  }
}
