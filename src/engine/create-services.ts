/** Creates the services that all crawlers of a server share, on top of the ports given to the engine. */
import type { SinkDefinition } from '../domain/crawl/sink-definition.js';
import { after } from '../domain/time/units.js';
import type { Rejudging } from './control/rejudging.js';
import { UrlCommands } from './control/url-commands.js';
import type { Crawlers } from './crawl/crawlers.js';
import { HubSubscriptions } from './crawl/evidence/hub-subscriptions.js';
import { Discovery, type DiscoveryTarget } from './crawl/frontier/discovery.js';
import { ErrorPageProbes } from './crawl/hosts/error-page-probes.js';
import { HostSlots } from './crawl/hosts/host-slots.js';
import { type Host, Hosts } from './crawl/hosts/hosts.js';
import { type LoadDomains, PolitenessGroups } from './crawl/hosts/politeness-groups.js';
import { RobotsGate } from './crawl/hosts/robots-gate.js';
import { SiteHealth } from './crawl/hosts/site-health.js';
import { Logins, type TextSeal } from './crawl/logins/logins.js';
import type { Settled } from './crawl/outcome/decision.js';
import { InDoubtDeliveries } from './crawl/outcome/in-doubt-deliveries.js';
import { Ledger } from './crawl/outcome/ledger.js';
import { Owing } from './crawl/outcome/owing.js';
import { settleOwned } from './crawl/outcome/settle-owned.js';
import { SharedDocuments } from './crawl/outcome/shared-documents.js';
import type { CrawlServices } from './crawl/services.js';
import { RenderedVisits } from './crawl/visit/rendered-visits.js';
import { ResultReview } from './crawl/visit/result-review.js';
import { Delivery } from './delivery/delivery.js';
import type { KeptDocuments } from './delivery/kept-documents.js';
import type { Clock } from './ports/clock.js';
import type { CronSchedule } from './ports/cron-schedule.js';
import type { FrontierStore, Settlement } from './ports/frontier-store.js';
import type { Log } from './ports/log.js';
import type { CreateLogin } from './ports/login-method.js';
import type { Nodes } from './ports/nodes.js';
import type { PageProcessor } from './ports/page-processor.js';
import type { Partitions } from './ports/partitions.js';
import type { Plugins } from './ports/plugins.js';
import type { SessionStore } from './ports/session-store.js';
import type { Sink } from './ports/sink.js';
import { NO_TRACING, type Tracing } from './ports/tracing.js';
import { Batcher } from './support/batcher.js';
import { CrawlEvents } from './support/crawl-events.js';
import { NO_OTHERS, SOLE_OWNER } from './support/single-node.js';

export interface EnginePorts {
  readonly store: FrontierStore;
  readonly processor: PageProcessor;
  /**
   * Opens another processor for a definition that is not in force. If absent, pages are only shown under the definition
   * in force.
   */
  readonly openProcessor?: () => PageProcessor;
  readonly clock: Clock;
  readonly log: Log;
  readonly cron: CronSchedule;
  readonly sessions: SessionStore;
  readonly loadDomains: LoadDomains;
  /** If absent, a configuration with logins is refused. */
  readonly createLogin?: CreateLogin;
  /** Seals what logins store. If absent, logins start over after a restart. */
  readonly seal?: TextSeal;
  readonly createSink: (definition: SinkDefinition) => Sink;
  /** Absent if there are none. */
  readonly plugins?: Pick<Plugins, 'listViews'>;
  /** Given together with `nodes` if other servers share the store. */
  readonly partitions?: Partitions;
  readonly nodes?: Nodes;
  /** Absent if visits are not traced. */
  readonly tracing?: Tracing;
  /** Maximum number of visits per crawler; absent for no limit. */
  readonly maxVisits?: number;
}

/**
 * Maximum number of orders and bytes that may be waiting for one sink; beyond either, no further page is fetched for
 * it.
 */
const DELIVERY_LIMITS = { maxOrders: 500, maxBytes: 16 * 1024 * 1024 };
const MAX_SETTLEMENTS_PER_CALL = 500;

export function createServices(
  ports: EnginePorts,
  crawlers: Crawlers,
  rejudging: Rejudging,
  kept: KeptDocuments,
): CrawlServices {
  const { store, processor, clock, log, cron, sessions, loadDomains } = ports;
  const { partitions = SOLE_OWNER, nodes = NO_OTHERS, tracing = NO_TRACING } = ports;
  const { maxVisits = Number.POSITIVE_INFINITY } = ports;
  const events = new CrawlEvents(clock);
  const delivery = new Delivery(DELIVERY_LIMITS, partitions, (within) => {
    const until = after(clock.now(), within);
    const all = crawlers.list();
    return all.some((crawler) => crawler.isDeciding) || all.some((crawler) => crawler.mayVisitBefore(until));
  });
  const onBackOff = (host: Host): void => {
    events.emit({ type: 'host', hostKey: host.key, state: 'backing off', until: host.politeness.backOffUntil });
  };
  const onRecovery = (host: Host): void => events.emit({ type: 'host', hostKey: host.key, state: 'answers again' });
  const hosts = new Hosts(store, clock, onBackOff, partitions, onRecovery);
  const inDoubt = new InDoubtDeliveries(store, clock);
  const shared = new SharedDocuments({ store, clock, inDoubt, crawlers });
  const probes = new ErrorPageProbes(processor, hosts, clock, partitions);
  const findDiscoveryTarget = (name: string): DiscoveryTarget | undefined => {
    const crawler = crawlers.find(name);
    return (
      crawler && {
        traps: crawler.context.definition.traps,
        admit: (states) => crawler.admit(states),
        refuse: ({ url, hostKey, foundOn }, reason) =>
          crawler.refused.add({ url, hostKey, reason }, foundOn ?? '', clock.now()),
      }
    );
  };
  const slots = new HostSlots(hosts, clock);
  const logins = new Logins({ ...ports, events });
  return {
    store,
    processor,
    clock,
    log,
    cron,
    tracing,
    sessions,
    logins,
    subscriptions: new HubSubscriptions({
      ...{ store, clock, log, processor, hosts, slots },
      findDefinition: (name) => crawlers.find(name)?.context.definition,
    }),
    maxVisits,
    events,
    delivery,
    partitions,
    nodes,
    hosts,
    robots: new RobotsGate(processor, hosts, slots, clock, (fetcher, href) => logins.findRobotsSession(fetcher, href)),
    slots,
    groups: new PolitenessGroups(clock, (name) => processor.resolve(name), loadDomains),
    probes,
    review: new ResultReview({ store, clock, probes, processor }),
    inDoubt,
    ledger: new Ledger(store, clock),
    health: new SiteHealth(),
    rendered: new RenderedVisits(store, clock),
    discovery: new Discovery(store, findDiscoveryTarget),
    settler: new Batcher<Settlement, Settled>((items) => settleOwned(store, items), MAX_SETTLEMENTS_PER_CALL),
    urlCommands: new UrlCommands(clock, rejudging, shared, kept),
    shared,
    owing: new Owing(store),
  };
}
