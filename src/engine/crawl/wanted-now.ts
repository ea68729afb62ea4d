/** Visits requested by users, of URLs whose host is resting. */
import type { UrlState } from '../../domain/crawl/url-state.js';
import { USER } from '../../domain/frontier/sources.js';
import type { Clock } from '../ports/clock.js';
import type { UrlQueue } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { Frontier } from './frontier/frontier.js';
import { createTryCommand } from './outcome/owner-commands.js';

/** Maximum number of resting hosts that receive a request in one forced refresh of many URLs. */
const MAX_HOSTS = 100;

export interface WantedServices {
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly nodes: Pick<Nodes, 'send'>;
  readonly store: UrlQueue;
  readonly clock: Clock;
}

export class WantedNow {
  constructor(
    private readonly crawler: string,
    private readonly services: WantedServices,
    private readonly frontier: Pick<Frontier, 'queueUrgently' | 'listRestingHosts'>,
  ) {}

  /**
   * Visits the URL now because a user requested it, even if its host is resting; carried out by the node that owns the
   * host.
   */
  async visitNow(url: UrlState): Promise<void> {
    if (this.services.partitions.owns(url.hostKey)) this.frontier.queueUrgently(url);
    else await this.services.nodes.send(createTryCommand(url));
  }

  /** Visits one URL of each resting host, from those in the user source. */
  async visitRestingHosts(): Promise<void> {
    const { store, clock } = this.services;
    for (const hostKey of this.frontier.listRestingHosts(MAX_HOSTS)) {
      const { urls } = await store.listDue(this.crawler, hostKey, USER, clock.now(), 1, new Set());
      if (urls[0]) this.frontier.queueUrgently(urls[0]);
    }
  }
}
