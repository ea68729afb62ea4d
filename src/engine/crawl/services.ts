import type { Ports } from '../ports/ports.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { WebServers } from './hosts/web-servers.js';
import type { Outcomes } from './outcome/outcomes.js';
import type { VisitTools } from './visit/visit-tools.js';

/**
 * What all crawlers of a server share: ports, and what each folder of crawl/ keeps for all of them. Only the code that
 * assembles the parts sees all services; each part declares those it needs.
 */
export interface CrawlServices extends Ports {
  readonly events: CrawlEvents;
  readonly webServers: WebServers;
  readonly outcomes: Outcomes;
  readonly visitTools: VisitTools;
}
