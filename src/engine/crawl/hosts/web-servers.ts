import type { HostRecords } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { Ports } from '../../ports/ports.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { Logins } from '../logins/logins.js';
import { ErrorPageProbes } from './error-page-probes.js';
import { HostSlots } from './host-slots.js';
import { Hosts } from './hosts.js';
import { type LoadDomains, PolitenessGroups } from './politeness-groups.js';
import { RobotsGate } from './robots-gate.js';
import { SiteHealth } from './site-health.js';
import { Strangers } from './strangers.js';

interface WebServerServices extends Pick<Ports, 'clock' | 'partitions'> {
  readonly store: HostRecords;
  readonly processor: Pick<PageProcessor, 'resolve' | 'fetch' | 'process'>;
  readonly events: CrawlEvents;
  readonly logins: Pick<Logins, 'findRobotsSession'>;
  readonly loadDomains: LoadDomains;
}

/** What all crawlers of a server share about web servers: their politeness, their robots.txt, and how they respond. */
export class WebServers {
  readonly hosts: Hosts;
  readonly slots: HostSlots;
  readonly groups: PolitenessGroups;
  readonly strangers: Strangers;
  readonly robots: RobotsGate;
  readonly probes: ErrorPageProbes;
  readonly health = new SiteHealth();

  constructor({ store, processor, clock, partitions, events, logins, loadDomains }: WebServerServices) {
    this.hosts = new Hosts(
      store,
      clock,
      ({ key, politeness }, cause) =>
        events.emit({ type: 'host', hostKey: key, state: 'backing off', until: politeness.backOffUntil, cause }),
      partitions,
      ({ key }) => events.emit({ type: 'host', hostKey: key, state: 'answers again' }),
    );
    this.slots = new HostSlots(this.hosts, clock);
    this.groups = new PolitenessGroups(clock, (name) => processor.resolve(name), loadDomains);
    this.strangers = new Strangers(loadDomains);
    this.robots = new RobotsGate(processor, this.hosts, this.slots, clock, (fetcher, href) =>
      logins.findRobotsSession(fetcher, href),
    );
    this.probes = new ErrorPageProbes(processor, this.hosts, clock, partitions);
  }
}
