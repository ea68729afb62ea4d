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
import { PolicyChanges } from './control/policy-changes.js';
import { Reconciliation } from './control/reconciliation.js';
import type { Rejudging } from './control/rejudging.js';
import { ReportedUrls } from './control/reported-urls.js';
import { Roots } from './control/roots.js';
import { Surveys } from './control/surveys.js';
import { UrlFactsReader } from './control/url-facts.js';
import type { Crawler } from './crawl/crawler.js';
import type { CrawlServices } from './crawl/services.js';
import type { EnginePorts } from './create-services.js';
import type { KeptDocuments } from './delivery/kept-documents.js';

/** What the parts need from the engine. */
interface EngineAccess {
  readonly rejudging: Rejudging;
  readonly kept: KeptDocuments;
  readonly crawlersByName: ReadonlyMap<string, Crawler>;
  readonly getDefinition: () => ServerDefinition;
  readonly takeLead: () => void;
}

export type EngineParts = ReturnType<typeof createParts>;

/** Assembles the parts that act on all crawlers on behalf of users, other nodes, and sites that report changes. */
export function createParts(ports: EnginePorts, services: CrawlServices, engine: EngineAccess) {
  const { rejudging, kept, crawlersByName, getDefinition } = engine;
  const { robots, health, hosts } = services;
  const listCrawlers = (): Crawler[] => [...crawlersByName.values()];
  const findCrawler = (name: string) => crawlersByName.get(name);
  const findSink = (name: string) => getDefinition().sinks.find((sink) => sink.name === name);
  const findCrawlersUsing = (sinkName: string) =>
    listCrawlers().filter(({ context }) => context.definition.pushTo.includes(sinkName));

  const notes = new HostNotes(robots, health, hosts);
  const cluster = new ClusterView({ ...services, notes, crawlers: listCrawlers });
  const roots = new Roots(services);
  const facts = new UrlFactsReader({ ...services, findInMemory: cluster.findUrlInMemory.bind(cluster) });
  const explanations = new Explanations(
    { ...services, getRobotsOpinion: cluster.getRobotsOpinion.bind(cluster) },
    facts,
  );
  const backfills = new Backfills({ ...services, crawlers: listCrawlers, findSink });
  const reportedUrls = new ReportedUrls(services);
  services.subscriptions.visit = async (name, feed) => {
    const crawler = findCrawler(name);
    if (crawler) await reportedUrls.revisit(crawler, feed, 'websub');
  };
  const rebalance = new Rebalance(services, listCrawlers, engine.takeLead);
  const nodeCommands = new NodeCommands(services, findCrawler, explanations.viewPage.bind(explanations));
  const control = new SharedControl({
    ...services,
    crawlers: listCrawlers,
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
    trials: new ContentTrials(services, ports.openProcessor),
    maintenance: new Maintenance({ ...services, roots }),
    orders: new Orders({ ...services, listPending: () => cluster.listPendingOrders(), findCrawler }),
    reconciliation: new Reconciliation({ ...services, findCrawlersUsing: findCrawlersUsing }),
    catchUp: new CatchUp({ ...services, kept, findCrawler, findSink }),
    policyChanges: new PolicyChanges(services, rejudging, backfills),
    hostViews: new HostViews({ ...services, notes, cluster, crawlers: listCrawlers }),
    surveys: new Surveys(services),
    housekeeping: new Housekeeping(services, roots, listCrawlers),
    indexNow: new IndexNow(services, reportedUrls, listCrawlers, () => getDefinition().indexNow ?? DEFAULT_INDEXNOW),
  };
}
