/** Composes what all crawlers of a server share, over the ports that the program gives the engine. */
import type { SinkDefinition } from '../domain/crawl/definition.js';
import { after } from '../domain/time/units.js';
import type { Rejudging } from './control/rejudging.js';
import { Rulings } from './control/rulings.js';
import type { Settled } from './crawl/conclusion.js';
import { CrawlEvents } from './crawl/crawl-events.js';
import type { Crawler } from './crawl/crawler.js';
import { Discovery, type DiscoveryTarget } from './crawl/discovery.js';
import { Doubts } from './crawl/doubts.js';
import { ErrorPageProbes } from './crawl/error-page-probes.js';
import { HostTurns } from './crawl/host-turns.js';
import { type Host, Hosts } from './crawl/hosts.js';
import { Ledger } from './crawl/ledger.js';
import { ResultReview } from './crawl/result-review.js';
import { RobotsGate } from './crawl/robots-gate.js';
import type { CrawlServices, CronSchedule } from './crawl/services.js';
import { settleOwned } from './crawl/settle-owned.js';
import { SharedDocuments } from './crawl/shared-documents.js';
import { SiteHealth } from './crawl/site-health.js';
import { Delivery } from './delivery/delivery.js';
import type { Clock } from './ports/clock.js';
import type { FrontierStore, Settlement } from './ports/frontier-store.js';
import type { Log } from './ports/log.js';
import type { Nodes } from './ports/nodes.js';
import type { PageProcessor } from './ports/page-processor.js';
import type { Partitions } from './ports/partitions.js';
import type { Sink } from './ports/sink.js';
import { Batcher } from './support/batcher.js';
import { NO_OTHERS, SOLE_OWNER } from './support/single-node.js';

export interface EnginePorts {
  readonly store: FrontierStore;
  readonly processor: PageProcessor;
  readonly clock: Clock;
  readonly log: Log;
  readonly cron: CronSchedule;
  readonly createSink: (definition: SinkDefinition) => Sink;
  /** With `nodes`: other servers share the store. */
  readonly partitions?: Partitions;
  readonly nodes?: Nodes;
  /** Each crawler ends after so many visits; absent: never. */
  readonly mostVisits?: number;
}

/** Orders and bytes that may wait for one sink; past either, no further page is fetched for it. */
const DELIVERY_LIMITS = { maxOrders: 500, maxBytes: 16 * 1024 * 1024 };
const SETTLEMENTS_PER_CALL = 500;

export function createServices(
  ports: EnginePorts,
  crawlersByName: ReadonlyMap<string, Crawler>,
  rejudging: Rejudging,
): CrawlServices {
  const { store, processor, clock, log, cron } = ports;
  const { partitions = SOLE_OWNER, nodes = NO_OTHERS, mostVisits = Number.POSITIVE_INFINITY } = ports;
  const events = new CrawlEvents(clock);
  const delivery = new Delivery(DELIVERY_LIMITS, partitions, (within) => {
    const until = after(clock.now(), within);
    const crawlers = [...crawlersByName.values()];
    return crawlers.some((crawler) => crawler.isDeciding) || crawlers.some((one) => one.mayVisitUntil(until));
  });
  const backsOff = (host: Host): void => {
    events.emit({ type: 'host', hostKey: host.key, state: 'backing off', until: host.politeness.backOffUntil });
  };
  const hosts = new Hosts(store, clock, backsOff, partitions);
  const doubts = new Doubts(store, clock);
  const shared = new SharedDocuments({ store, clock, doubts, crawlers: () => crawlersByName.values() });
  const probes = new ErrorPageProbes(processor, hosts, clock);
  const discoveryTarget = (name: string): DiscoveryTarget | undefined => {
    const crawler = crawlersByName.get(name);
    return (
      crawler && {
        traps: crawler.context.definition.traps,
        admitted: (states) => crawler.frontier.admit(states),
        refused: ({ url, hostKey, foundOn }, reason) =>
          crawler.refused.add({ url, hostKey, reason }, foundOn ?? '', clock.now()),
      }
    );
  };
  return {
    store,
    processor,
    clock,
    log,
    cron,
    mostVisits,
    events,
    delivery,
    partitions,
    nodes,
    hosts,
    robots: new RobotsGate(processor, hosts, new HostTurns(hosts, clock), clock),
    probes,
    review: new ResultReview({ store, clock, probes, processor }),
    doubts,
    ledger: new Ledger(store, clock),
    health: new SiteHealth(),
    discovery: new Discovery(store, discoveryTarget),
    settler: new Batcher<Settlement, Settled>((items) => settleOwned(store, items), SETTLEMENTS_PER_CALL),
    rulings: new Rulings(clock, rejudging, shared),
    shared,
  };
}
