/** Handles the assignment and revocation of partitions, so that no host is ever handled by two nodes. */
import { after, atLeast, type Instant, milliseconds } from '../../domain/time/units.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { Logins } from '../crawl/logins/logins.js';
import type { InDoubtDeliveries } from '../crawl/outcome/in-doubt-deliveries.js';
import type { Ledger } from '../crawl/outcome/ledger.js';
import type { Owing } from '../crawl/outcome/owing.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Nodes } from '../ports/nodes.js';
import type { PartitionListener, Partitions } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';

const CHECK_INTERVAL = milliseconds(50);

export interface RebalanceServices extends Pick<Ports, 'clock' | 'log'> {
  readonly partitions: Pick<Partitions, 'owned' | 'getPartition'>;
  readonly nodes: Pick<Nodes, 'notifyAllDue'>;
  readonly hosts: Hosts;
  readonly logins: Pick<Logins, 'takeOver' | 'forget' | 'whenSaved'>;
  readonly inDoubt: InDoubtDeliveries;
  readonly ledger: Ledger;
  readonly owing: Pick<Owing, 'open'>;
  readonly delivery: Pick<Delivery, 'expedite'>;
}

export class Rebalance implements PartitionListener {
  private readonly duePartitions = new Set<number>();
  private sweeping = false;
  /** For each revocation in progress, the partitions that this node has not been assigned again since. */
  private readonly revocations = new Set<Set<number>>();

  constructor(
    private readonly services: RebalanceServices,
    private readonly crawlers: Pick<Crawlers, 'list'>,
    private readonly onBecameLeader: () => void,
  ) {}

  async onAssigning(partitions: readonly number[], abandoned: readonly number[]): Promise<void> {
    for (const revoked of this.revocations) for (const partition of partitions) revoked.delete(partition);
    // For every URL, order ids must increase, even if it moves from one node to another.
    await this.services.ledger.skipForeignIds();
    await this.services.owing.open();
    const assigned = new Set(partitions);
    await this.services.logins.takeOver((hostKey) => assigned.has(this.services.partitions.getPartition(hostKey)));
    this.services.hosts.prepareAssignment(partitions, abandoned, this.computeRestEnd());
    for (const crawler of this.crawlers.list()) crawler.forgetHosts();
    if (abandoned.length === 0) {
      await this.services.inDoubt.open();
      return;
    }
    await this.services.inDoubt.markAllInFlightInDoubt();
    // A node that fell silent may have stored links for any other node without notifying it.
    this.services.nodes.notifyAllDue();
    this.sweepSoon(this.services.partitions.owned ?? []);
  }

  onAssigned(partitions: readonly number[]): void {
    this.sweepSoon(partitions);
    if (partitions.includes(0)) this.onBecameLeader();
  }

  async onRevoking(partitions: readonly number[], lapsed: boolean): Promise<void> {
    const { clock, delivery, inDoubt, hosts, logins } = this.services;
    const revoked = new Set(partitions);
    const isLost = (hostKey: string): boolean => revoked.has(this.services.partitions.getPartition(hostKey));
    for (const crawler of this.crawlers.list()) crawler.revoke(isLost);
    const isBusy = (): boolean => this.crawlers.list().some((crawler) => crawler.isVisiting(isLost));
    // A visit may wait for its sink until long after the partition has come back to this node. Its hosts are in use again
    // then, and nobody would read again what is discarded here.
    this.revocations.add(revoked);
    try {
      while (isBusy()) {
        delivery.expedite();
        await clock.sleep(CHECK_INTERVAL);
      }
      if (!lapsed) await Promise.all([hosts.save(isLost), inDoubt.save(), logins.whenSaved()]);
      hosts.revoke(isLost);
      logins.forget(isLost);
    } finally {
      this.revocations.delete(revoked);
    }
  }

  /** URLs of these partitions have become due; several notifications are combined into one check. */
  sweepSoon(partitions: readonly number[]): void {
    for (const partition of partitions) this.duePartitions.add(partition);
    if (!this.sweeping) void this.sweep();
  }

  private async sweep(): Promise<void> {
    this.sweeping = true;
    try {
      while (this.duePartitions.size > 0) {
        const partitions = [...this.duePartitions];
        this.duePartitions.clear();
        for (const crawler of this.crawlers.list()) await crawler.sweepPartitions(partitions);
      }
    } catch (error) {
      this.services.log.warn('searching for due URLs failed; the next regular sweep will find them', {
        error: String(error),
      });
    } finally {
      this.sweeping = false;
    }
  }

  /** The previous owner may have sent a request to any of these hosts just before it fell silent. */
  private computeRestEnd(): Instant {
    const throttles = this.crawlers
      .list()
      .map(({ context: { definition } }) => (definition.aggressive ? milliseconds(0) : definition.throttle));
    const longest = throttles.reduce((most, throttle) => atLeast(most, throttle), milliseconds(0));
    return after(this.services.clock.now(), longest);
  }
}
