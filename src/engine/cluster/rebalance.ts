/** What a node does when partitions are assigned or revoked, so that no host is ever handled by two nodes. */
import { after, atLeast, type Instant, milliseconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { InDoubtDeliveries } from '../crawl/outcome/in-doubt-deliveries.js';
import type { Ledger } from '../crawl/outcome/ledger.js';
import type { Owing } from '../crawl/outcome/owing.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { PartitionListener, Partitions } from '../ports/partitions.js';

const CHECK_EVERY = milliseconds(50);

export interface RebalanceServices {
  readonly partitions: Pick<Partitions, 'owned' | 'getPartition'>;
  readonly nodes: Pick<Nodes, 'notifyAllDue'>;
  readonly hosts: Hosts;
  readonly inDoubt: InDoubtDeliveries;
  readonly ledger: Ledger;
  readonly owing: Pick<Owing, 'open'>;
  readonly delivery: Pick<Delivery, 'expedite'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class Rebalance implements PartitionListener {
  private readonly due = new Set<number>();
  private sweeping = false;

  constructor(
    private readonly services: RebalanceServices,
    private readonly crawlers: () => readonly Crawler[],
    private readonly becameLeader: () => void,
  ) {}

  async onAssigning(partitions: readonly number[], abruptly: readonly number[]): Promise<void> {
    // For every URL, order ids must increase, even if it moves from one node to another.
    await this.services.ledger.skipForeignIds();
    await this.services.owing.open();
    this.services.hosts.prepareAssignment(partitions, abruptly, this.computeRestEnd());
    for (const crawler of this.crawlers()) crawler.forgetHosts();
    if (abruptly.length === 0) {
      await this.services.inDoubt.open();
      return;
    }
    await this.services.inDoubt.doubtAllInFlight();
    // A node that fell silent may have stored links for any other node without notifying it.
    this.services.nodes.notifyAllDue();
    this.sweepSoon(this.services.partitions.owned ?? []);
  }

  onAssigned(partitions: readonly number[]): void {
    this.sweepSoon(partitions);
    if (partitions.includes(0)) this.becameLeader();
  }

  async onRevoking(partitions: readonly number[], lapsed: boolean): Promise<void> {
    const { clock, delivery, inDoubt, hosts } = this.services;
    const lost = this.createHostFilter(partitions);
    for (const crawler of this.crawlers()) crawler.revoke(lost);
    const isBusy = (): boolean => this.crawlers().some((crawler) => crawler.isVisiting(lost));
    while (isBusy()) {
      delivery.expedite();
      await clock.sleep(CHECK_EVERY);
    }
    if (!lapsed) await Promise.all([hosts.save(lost), inDoubt.save()]);
    hosts.revoke(lost);
  }

  /** URLs of these partitions have become due; several notifications are combined into one check. */
  sweepSoon(partitions: readonly number[]): void {
    for (const partition of partitions) this.due.add(partition);
    if (!this.sweeping) void this.sweep();
  }

  private async sweep(): Promise<void> {
    this.sweeping = true;
    try {
      while (this.due.size > 0) {
        const partitions = [...this.due];
        this.due.clear();
        for (const crawler of this.crawlers()) await crawler.sweepPartitions(partitions);
      }
    } catch (error) {
      this.services.log.warn('could not look for due URLs; the next regular sweep will find them', {
        error: String(error),
      });
    } finally {
      this.sweeping = false;
    }
  }

  /** The previous owner may have sent a request to any of these hosts just before it fell silent. */
  private computeRestEnd(): Instant {
    const throttles = this.crawlers().map(({ context: { definition } }) =>
      definition.aggressive ? milliseconds(0) : definition.throttle,
    );
    const longest = throttles.reduce((most, throttle) => atLeast(most, throttle), milliseconds(0));
    return after(this.services.clock.now(), longest);
  }

  private createHostFilter(partitions: readonly number[]): (hostKey: string) => boolean {
    const set = new Set(partitions);
    return (hostKey) => set.has(this.services.partitions.getPartition(hostKey));
  }
}
