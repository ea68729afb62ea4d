/** Creates the services that all crawlers of a server share, on top of the ports given to the engine. */
import type { SinkDefinition } from '../domain/crawl/sink-definition.js';
import { after } from '../domain/time/units.js';
import type { Rejudging } from './control/rejudging.js';
import { UrlCommands } from './control/url-commands.js';
import type { Crawlers } from './crawl/crawlers.js';
import { type LoadDomains } from './crawl/hosts/politeness-groups.js';
import { ScriptRequests } from './crawl/hosts/script-requests.js';
import { WebServers } from './crawl/hosts/web-servers.js';
import { Quotas } from './crawl/load/quotas.js';
import { Logins, type TextSeal } from './crawl/logins/logins.js';
import { Outcomes } from './crawl/outcome/outcomes.js';
import type { CrawlServices } from './crawl/services.js';
import { VisitTools } from './crawl/visit/visit-tools.js';
import { Delivery } from './delivery/delivery.js';
import type { KeptDocuments } from './delivery/kept-documents.js';
import type { Clock, CronSchedule } from './ports/clock.js';
import type { FrontierStore } from './ports/frontier-store.js';
import type { Log } from './ports/log.js';
import type { CreateLogin } from './ports/login-method.js';
import type { Nodes } from './ports/nodes.js';
import type { PageProcessor } from './ports/page-processor.js';
import type { Partitions } from './ports/partitions.js';
import type { Plugins } from './ports/plugins.js';
import type { SessionStore } from './ports/session-store.js';
import type { Sink } from './ports/sink.js';
import { NO_TRACING, type Tracing } from './ports/tracing.js';
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

export function createServices(
  ports: EnginePorts,
  crawlers: Crawlers,
  rejudging: Rejudging,
  kept: KeptDocuments,
): CrawlServices {
  const { store, processor, clock, log, cron } = ports;
  const { partitions = SOLE_OWNER, nodes = NO_OTHERS, tracing = NO_TRACING } = ports;
  const events = new CrawlEvents(clock);
  const delivery = new Delivery(DELIVERY_LIMITS, partitions, (within) => {
    const until = after(clock.now(), within);
    const all = crawlers.list();
    return all.some((crawler) => crawler.isDeciding) || all.some((crawler) => crawler.mayVisitBefore(until));
  });
  const logins = new Logins({ ...ports, partitions, events });
  const webServers = new WebServers({ ...ports, partitions, events, logins });
  const scripts = new ScriptRequests({ ...webServers, clock }, () => crawlers.list().map(({ context }) => context));
  processor.setScriptJudge?.((url, isScript) => scripts.judge(url, isScript));
  const outcomes = new Outcomes(
    ports,
    delivery,
    crawlers,
    (shared) => new UrlCommands(clock, rejudging, shared, kept),
    kept,
  );
  const quotas = new Quotas({ ...ports, nodes, events });
  const visitTools = new VisitTools({ ...ports, logins, webServers, crawlers, quotas });
  return {
    ...{ store, processor, clock, log, cron, tracing, partitions, nodes },
    ...{ events, webServers, outcomes, visitTools },
  };
}
