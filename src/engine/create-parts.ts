import type { ServerDefinition } from '../domain/crawl/definition.js';
import { ClusterView } from './cluster/cluster-view.js';
import { NodeCommands } from './cluster/node-commands.js';
import { Rebalance } from './cluster/rebalance.js';
import { SharedControl } from './cluster/shared-control.js';
import { Backfills } from './control/backfills.js';
import { CatchUp } from './control/catch-up.js';
import { ContentTrials } from './control/content-trials.js';
import { Explanations } from './control/explanations.js';
import { FormerCrawlers } from './control/former-crawlers.js';
import { HostNotes } from './control/host-notes.js';
import { HostViews } from './control/host-views.js';
import { Housekeeping } from './control/housekeeping.js';
import { IndexChanges } from './control/index-changes.js';
import { DEFAULT_INDEXNOW, IndexNow } from './control/indexnow.js';
import { Maintenance } from './control/maintenance.js';
import { Orders } from './control/orders.js';
import { OwedOrderSending } from './control/owed-order-sending.js';
import { PendingUrls } from './control/pending-urls.js';
import { PolicyChanges } from './control/policy-changes.js';
import { Reconciliation } from './control/reconciliation.js';
import type { Rejudging } from './control/rejudging.js';
import { ReportedUrls } from './control/reported-urls.js';
import { Roots } from './control/roots.js';
import { SinkAdoption } from './control/sink-adoption.js';
import { SinkIdentities } from './control/sink-identities.js';
import { SinkSwitch } from './control/sink-switch.js';
import { SiteMoveDecisions } from './control/site-move-decisions.js';
import { UrlFactsReader } from './control/url-facts.js';
import { Surveys, UrlLists } from './control/url-lists.js';
import type { Crawler } from './crawl/crawler.js';
import type { Crawlers } from './crawl/crawlers.js';
import type { CrawlServices } from './crawl/services.js';
import type { EnginePorts } from './create-services.js';
import type { KeptDocuments } from './delivery/kept-documents.js';
import type { CrawlContext } from './page/crawl-context.js';
import type { Sink } from './ports/sink.js';

/** What the parts need from the engine. */
interface EngineAccess {
  readonly rejudging: Rejudging;
  readonly kept: KeptDocuments;
  readonly crawlers: Crawlers;
  readonly findSink: (name: string) => Sink | undefined;
  readonly getDefinition: () => ServerDefinition;
  readonly takeLead: () => void;
  readonly createCrawler: (context: CrawlContext) => Crawler;
}

export type CreatedParts = ReturnType<typeof createParts>;

/** Assembles the parts that act on all crawlers on behalf of users, other nodes, and sites that report changes. */
export function createParts(ports: EnginePorts, services: CrawlServices, engine: EngineAccess) {
  const { rejudging, kept, crawlers, getDefinition } = engine;
  const { webServers, outcomes, visitTools, ...shared } = services;
  const base = { ...shared, crawlers };
  const withHosts = { ...base, ...webServers };
  const findSink = (name: string) => getDefinition().sinks.find((sink) => sink.name === name);
  const notes = new HostNotes(webServers.robots, webServers.health, webServers.hosts);
  const cluster = new ClusterView({ ...withHosts, ...outcomes, ...visitTools, notes });
  const roots = new Roots({ ...base, ...visitTools });
  const facts = new UrlFactsReader({ ...withHosts, findInMemory: cluster.findUrlInMemory.bind(cluster) });
  const explanations = new Explanations(
    { ...withHosts, getRobotsOpinion: cluster.getRobotsOpinion.bind(cluster) },
    facts,
  );
  const backfills = new Backfills({ ...base, findSink });
  const pendingUrls = new PendingUrls(base);
  const reconciliation = new Reconciliation({ ...base, ...outcomes, findSink: engine.findSink });
  const reportedUrls = new ReportedUrls({ ...base, ...visitTools });
  visitTools.subscriptions.visit = async (name, feed) => {
    const crawler = crawlers.find(name);
    if (crawler) await reportedUrls.revisit(crawler, feed, 'websub');
  };
  const rebalance = new Rebalance({ ...withHosts, ...outcomes, ...visitTools }, crawlers, engine.takeLead);
  const nodeCommands = new NodeCommands(withHosts, crawlers, explanations, visitTools.logins);
  const control = new SharedControl({
    ...base,
    roots,
    backfills,
    runCommand: (command) => nodeCommands.run(command),
    sweepSoon: (partitions) => rebalance.sweepSoon(partitions),
    answerQuestion: (question) => cluster.answerQuestion(question),
  });
  const maintenance = new Maintenance({ ...withHosts, roots });
  const policyChanges = new PolicyChanges(shared, rejudging, backfills);
  return {
    ...{ cluster, roots, explanations, backfills, rebalance, control, maintenance, policyChanges },
    formerCrawlers: new FormerCrawlers({ ...base, ...outcomes, ...engine, roots, maintenance, policyChanges }),
    trials: new ContentTrials({ ...withHosts, getDefinition }, ports.openProcessor),
    pendingUrls,
    sinkAdoption: new SinkAdoption({ ...base, pendingUrls, reconciliation, findSink: engine.findSink }),
    urls: new UrlLists({ ...base, cluster, kept }),
    moves: new SiteMoveDecisions(base),
    changes: new IndexChanges({ ...base, ...outcomes }),
    orders: new Orders({ ...base, kept, listPending: () => cluster.listPendingOrders() }),
    reconciliation,
    sinkSwitch: new SinkSwitch({ ...base, reconciliation, backfills, findSink: engine.findSink }),
    catchUp: new CatchUp({
      ...base,
      ...outcomes,
      kept,
      findSink,
      sending: new OwedOrderSending({ ...base, ...outcomes }),
    }),
    hosts: new HostViews({ ...withHosts, ...visitTools, notes, cluster }),
    surveys: new Surveys(base),
    sinkIdentities: new SinkIdentities({ ...base, backfills, getDefinition, findSink: engine.findSink }),
    housekeeping: new Housekeeping({ ...shared, ...outcomes, usage: visitTools.quotas.usage }, roots, crawlers),
    indexNow: new IndexNow(withHosts, reportedUrls, crawlers, () => getDefinition().indexNow ?? DEFAULT_INDEXNOW),
  };
}
