import type { Instant } from '../../domain/time/units.js';
import type { Rulings } from '../control/rulings.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, Settlement } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { Partitions } from '../ports/partitions.js';
import type { Batcher } from '../support/batcher.js';
import type { Settled } from './conclusion.js';
import type { CrawlEvents } from './crawl-events.js';
import type { Discovery } from './discovery.js';
import type { Doubts } from './doubts.js';
import type { ErrorPageProbes } from './error-page-probes.js';
import type { Hosts } from './hosts.js';
import type { Ledger } from './ledger.js';
import type { ResultReview } from './result-review.js';
import type { RobotsGate } from './robots-gate.js';
import type { SharedDocuments } from './shared-documents.js';
import type { SiteHealth } from './site-health.js';

/** Next time of a cron expression after a moment; undefined when there is none. */
export type CronSchedule = (cron: string, timeZone: string, from: Instant) => Instant | undefined;

/** What all crawlers of a server share. */
export interface CrawlServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly processor: PageProcessor;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly hosts: Hosts;
  readonly robots: RobotsGate;
  readonly probes: ErrorPageProbes;
  readonly review: ResultReview;
  readonly doubts: Doubts;
  readonly rulings: Pick<Rulings, 'of'>;
  readonly shared: SharedDocuments;
  readonly discovery: Discovery;
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly events: CrawlEvents;
  readonly health: SiteHealth;
  readonly cron: CronSchedule;
  /** That each crawler begins, for a crawl that is to end after so many. */
  readonly mostVisits: number;
}
