import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { CronSchedule } from '../ports/cron-schedule.js';
import type { FrontierStore, Settlement } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { Partitions } from '../ports/partitions.js';
import type { SessionStore } from '../ports/session-store.js';
import type { Tracing } from '../ports/tracing.js';
import type { Batcher } from '../support/batcher.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { HubSubscriptions } from './evidence/hub-subscriptions.js';
import type { Discovery } from './frontier/discovery.js';
import type { ErrorPageProbes } from './hosts/error-page-probes.js';
import type { HostSlots } from './hosts/host-slots.js';
import type { Hosts } from './hosts/hosts.js';
import type { PolitenessGroups } from './hosts/politeness-groups.js';
import type { RobotsGate } from './hosts/robots-gate.js';
import type { SiteHealth } from './hosts/site-health.js';
import type { Logins } from './logins/logins.js';
import type { UrlCommandReader } from './outcome/changes-without-visit.js';
import type { Settled } from './outcome/decision.js';
import type { InDoubtDeliveries } from './outcome/in-doubt-deliveries.js';
import type { Ledger } from './outcome/ledger.js';
import type { Owing } from './outcome/owing.js';
import type { SharedDocuments } from './outcome/shared-documents.js';
import type { RenderedVisits } from './visit/rendered-visits.js';
import type { ResultReview } from './visit/result-review.js';

/**
 * What all crawlers of a server share. Only the code that assembles the parts sees all services; each part declares
 * those it needs.
 */
export interface CrawlServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly processor: PageProcessor;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly hosts: Hosts;
  readonly groups: PolitenessGroups;
  readonly slots: Pick<HostSlots, 'claimHost'>;
  readonly robots: RobotsGate;
  readonly sessions: SessionStore;
  readonly logins: Logins;
  readonly subscriptions: HubSubscriptions;
  readonly probes: ErrorPageProbes;
  readonly review: ResultReview;
  readonly inDoubt: InDoubtDeliveries;
  readonly urlCommands: UrlCommandReader;
  readonly shared: SharedDocuments;
  readonly owing: Owing;
  readonly discovery: Discovery;
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly events: CrawlEvents;
  readonly health: SiteHealth;
  readonly rendered: RenderedVisits;
  readonly cron: CronSchedule;
  readonly tracing: Tracing;
  /** Maximum number of visits per crawler, for a crawl that ends after a given number. */
  readonly maxVisits: number;
}
