import type { Clock } from '../ports/clock.js';
import type { CronSchedule } from '../ports/cron-schedule.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { Partitions } from '../ports/partitions.js';
import type { Tracing } from '../ports/tracing.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { WebServers } from './hosts/web-servers.js';
import type { Outcomes } from './outcome/outcomes.js';
import type { VisitTools } from './visit/visit-tools.js';

/**
 * What all crawlers of a server share: ports, and what each folder of crawl/ keeps for all of them. Only the code that
 * assembles the parts sees all services; each part declares those it needs.
 */
export interface CrawlServices {
  readonly store: FrontierStore;
  readonly processor: PageProcessor;
  readonly clock: Clock;
  readonly log: Log;
  readonly cron: CronSchedule;
  readonly tracing: Tracing;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly events: CrawlEvents;
  readonly webServers: WebServers;
  readonly outcomes: Outcomes;
  readonly visitTools: VisitTools;
}
