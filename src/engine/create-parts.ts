import type { ServerDefinition } from '../domain/crawl/definition.js';
import { ClusterView } from './cluster/cluster-view.js';
import { NodeCommands } from './cluster/node-commands.js';
import { Rebalance } from './cluster/rebalance.js';
import { SharedControl } from './cluster/shared-control.js';
import { Backfills } from './control/backfills.js';
import { CatchUp } from './control/catch-up.js';
import { ContentTrials } from './control/content-trials.js';
import { Explanations } from './control/explanations.js';
import { HostNotes } from './control/host-notes.js';
import { HostViews } from './control/host-views.js';
import { Housekeeping } from './control/housekeeping.js';
import { DEFAULT_INDEXNOW, IndexNow } from './control/indexnow.js';
import { Maintenance } from './control/maintenance.js';
import { Orders } from './control/orders.js';
import { PendingUrls } from './control/pending-urls.js';
import { PolicyChanges } from './control/policy-changes.js';
import { Reconciliation } from './control/reconciliation.js';
import type { Rejudging } from './control/rejudging.js';
import { ReportedUrls } from './control/reported-urls.js';
import { Roots } from './control/roots.js';
import { Surveys } from './control/surveys.js';
import { UrlFactsReader } from './control/url-facts.js';
import { UrlLists } from './control/url-lists.js';
import type { Crawlers } from './crawl/crawlers.js';
import type { CrawlServices } from './crawl/services.js';
import type { EnginePorts } from './create-services.js';
import type { KeptDocuments } from './delivery/kept-documents.js';
import type { Sink } from './ports/sink.js';

/** What the parts need from the engine. */
interface EngineAccess {
  readonly rejudging: Rejudging;
  readonly kept: KeptDocuments;
  readonly crawlers: Crawlers;
  readonly findSink: (name: string) => Sink | undefined;
  readonly getDefinition: () => ServerDefinition;
  readonly takeLead: () => void;
}

export type CreatedParts = ReturnType<typeof createParts>;

/** Assembles the parts that act on all crawlers on behalf of users, other nodes, and sites that report changes. */
export function createParts(ports: EnginePorts, services: CrawlServices, engine: EngineAccess) {
  const { rejudging, kept, crawlers, getDefinition } = engine;
  const { robots, health, hosts } = services;
  const findSink = (name: string) => getDefinition().sinks.find((sink) => sink.name === name);
  const notes = new HostNotes(robots, health, hosts);
  const cluster = new ClusterView({ ...services, notes, crawlers });
  const roots = new Roots({ ...services, crawlers });
  const facts = new UrlFactsReader({ ...services, findInMemory: cluster.findUrlInMemory.bind(cluster) });
  const explanations = new Explanations(
    { ...services, crawlers, getRobotsOpinion: cluster.getRobotsOpinion.bind(cluster) },
    facts,
  );
  const backfills = new Backfills({ ...services, crawlers, findSink });
  const reportedUrls = new ReportedUrls(services);
  services.subscriptions.visit = async (name, feed) => {
    const crawler = crawlers.find(name);
    if (crawler) await reportedUrls.revisit(crawler, feed, 'websub');
  };
  const rebalance = new Rebalance(services, crawlers, engine.takeLead);
  const nodeCommands = new NodeCommands(services, crawlers, explanations);
  const control = new SharedControl({
    ...services,
    crawlers,
    roots,
    backfills,
    runCommand: (command) => nodeCommands.run(command),
    sweepSoon: (partitions) => rebalance.sweepSoon(partitions),
    answerQuestion: (question) => cluster.answerQuestion(question),
  });
  return {
    cluster,
    roots,
    explanations,
    backfills,
    rebalance,
    control,
    trials: new ContentTrials({ ...services, crawlers, getDefinition }, ports.openProcessor),
    maintenance: new Maintenance({ ...services, crawlers, roots }),
    pendingUrls: new PendingUrls({ ...services, crawlers }),
    urls: new UrlLists({ ...services, crawlers, cluster, kept }),
    orders: new Orders({ ...services, listPending: () => cluster.listPendingOrders(), crawlers }),
    reconciliation: new Reconciliation({ ...services, crawlers, findSink: engine.findSink }),
    catchUp: new CatchUp({ ...services, kept, crawlers, findSink }),
    policyChanges: new PolicyChanges(services, rejudging, backfills),
    hosts: new HostViews({ ...services, notes, cluster, crawlers }),
    surveys: new Surveys({ ...services, crawlers }),
    housekeeping: new Housekeeping(services, roots, crawlers),
    indexNow: new IndexNow(services, reportedUrls, crawlers, () => getDefinition().indexNow ?? DEFAULT_INDEXNOW),
  };
}
