import { after, type Instant, seconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { Host, Hosts, HostUser } from './hosts.js';

const MAX_WAIT = seconds(30);

interface Slot {
  readonly limit: number;
  readonly grant: (host: Host) => void;
}

/**
 * Grants slots at a host for requests other than visits, one after the other, respecting the host's pauses. Registers
 * as a user of hosts before all frontiers, so that such requests get a slot even if the host has many pages to visit.
 */
export class HostSlots implements HostUser {
  private readonly waitingSlots = new Map<string, Set<Slot>>();

  constructor(
    private readonly hosts: Hosts,
    private readonly clock: Clock,
  ) {
    hosts.addUser(this);
  }

  /**
   * Resolves with the claimed host once it may receive a request and has fewer than `limit` in flight; undefined if
   * that will not be soon.
   */
  claimHost(hostKey: string, limit: number): Promise<Host | undefined> {
    const host = this.hosts.get(hostKey);
    const deadline = after(this.clock.now(), MAX_WAIT);
    if (host.loaded && host.readyAt > deadline) return Promise.resolve(undefined);
    return new Promise((resolve) => this.enqueue(host, limit, deadline, resolve));
  }

  onHostReady(host: Host): void {
    const [slot] = this.waitingSlots.get(host.key) ?? [];
    if (!slot || !host.isReadyForExtraRequest(this.clock.now(), slot.limit)) return;
    this.hosts.claim(host);
    slot.grant(host);
  }

  isUsing(hostKey: string): boolean {
    return this.waitingSlots.has(hostKey);
  }

  private enqueue(host: Host, limit: number, deadline: Instant, resolve: (host?: Host) => void): void {
    const leave = (): void => this.leave(host.key, slot);
    const cancel = this.clock.at(deadline, () => {
      leave();
      resolve();
    });
    const slot: Slot = {
      limit,
      grant: (claimed) => {
        cancel();
        leave();
        resolve(claimed);
      },
    };
    const queue = this.waitingSlots.get(host.key) ?? new Set();
    this.waitingSlots.set(host.key, queue.add(slot));
    this.onHostReady(host);
  }

  private leave(hostKey: string, slot: Slot): void {
    const queue = this.waitingSlots.get(hostKey);
    queue?.delete(slot);
    if (queue?.size === 0) this.waitingSlots.delete(hostKey);
  }
}
