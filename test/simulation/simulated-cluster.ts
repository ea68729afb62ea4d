/** The database that simulated nodes share, and what each of them sees of it: leases, partitions and messages on one clock. */
import { after, type Instant, milliseconds, seconds } from '../../src/domain/time/units.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Errand, Nodes, NodesListener } from '../../src/engine/ports/nodes.js';
import { type Fence, FencedOut, type PartitionListener, type Partitions } from '../../src/engine/ports/partitions.js';
import type { ManualClock } from '../support/manual-clock.js';
import type { Gate } from './gate.js';

const PARTITIONS = 8;
const LEASE = seconds(10);
const RENEW_EVERY = milliseconds(2_500);
const MARGIN_MS = 1_000;

interface Owner {
  node: string | undefined;
  epoch: number;
  abruptly: boolean;
}

export class SimulatedCluster {
  readonly owners: Owner[] = Array.from({ length: PARTITIONS }, () => ({ node: undefined, epoch: 0, abruptly: false }));
  readonly leases = new Map<string, Instant>();
  readonly members = new Set<SimulatedMember>();
  readonly errands: Errand[] = [];
  private blocks = 0;

  constructor(
    readonly clock: ManualClock,
    private readonly store: FrontierStore,
  ) {}

  partitionOf(hostKey: string): number {
    let hash = 7;
    for (let i = 0; i < hostKey.length; i++) hash = (Math.imul(hash, 31) + hostKey.charCodeAt(i)) | 0;
    return (hash >>> 0) % PARTITIONS;
  }

  /** The store with what the shared one does more: fences, and blocks of order ids. */
  get shared(): FrontierStore {
    const { store } = this;
    return Object.assign(Object.create(store) as FrontierStore, {
      settle: async (settlements: Parameters<FrontierStore['settle']>[0]) => {
        const stale = settlements.flatMap(({ fence }) =>
          fence && this.owners[fence.partition]!.epoch !== fence.epoch ? [fence] : [],
        );
        if (stale.length > 0) throw new FencedOut(stale);
        return store.settle(settlements);
      },
      lastOrderId: async () => ++this.blocks * 2 ** 32,
      close: async () => undefined,
    });
  }

  isFree({ node }: Owner): boolean {
    return node === undefined || (this.leases.get(node) ?? 0) <= this.clock.now();
  }
}

let names = 0;

/** One node's leases and messages; everything that it hears or does goes through its gate. */
export class SimulatedMember implements Partitions, Nodes {
  readonly shared = true;
  readonly sendBy = undefined;
  readonly watched = false;
  private name = `node-${++names}`;
  private readonly own = new Map<number, { epoch: number; leaving: boolean }>();
  private leaseEnd = 0;
  private listener: PartitionListener | undefined;
  private ears: NodesListener | undefined;

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly gate: Gate,
  ) {}

  partitionOf = (hostKey: string): number => this.cluster.partitionOf(hostKey);

  get owned(): number[] {
    return [...this.own].flatMap(([part, { leaving }]) => (leaving || !this.alive ? [] : [part]));
  }

  owns = (hostKey: string): boolean => this.fence(hostKey) !== undefined;

  fence(hostKey: string): Fence | undefined {
    const partition = this.partitionOf(hostKey);
    const owned = this.own.get(partition);
    return owned && !owned.leaving && this.alive ? { partition, epoch: owned.epoch } : undefined;
  }

  holds = ({ partition, epoch }: Fence): boolean => this.own.get(partition)?.epoch === epoch && this.alive;

  get leads(): boolean {
    return this.own.get(0)?.leaving === false && this.alive;
  }

  private get alive(): boolean {
    return this.cluster.clock.now() < this.leaseEnd;
  }

  async open(listener: PartitionListener | NodesListener): Promise<void> {
    if ('errand' in listener) this.ears = listener;
    else {
      this.listener = listener;
      this.cluster.members.add(this);
      await this.renew();
    }
  }

  async close(): Promise<void> {
    this.cluster.members.delete(this);
  }

  due(hostKeys: Iterable<string>): void {
    const parts = new Set([...hostKeys].map(this.partitionOf));
    this.tell((member) => {
      const mine = member.owned.filter((part) => parts.has(part));
      if (mine.length > 0) member.ears?.due(mine);
    });
  }

  allDue(): void {
    this.tell((member) => member.ears?.due(member.owned));
  }

  async controlChanged(): Promise<void> {
    this.tell((member) => void member.ears?.controlChanged());
  }

  async send(errand: Errand): Promise<void> {
    this.cluster.errands.push(errand);
  }

  event(): void {}

  private tell(word: (member: SimulatedMember) => void): void {
    for (const member of this.cluster.members)
      if (member !== this) this.cluster.clock.at(this.cluster.clock.now(), () => member.gate.run(() => word(member)));
  }

  private async renew(): Promise<void> {
    const { cluster, gate } = this;
    const now = cluster.clock.now();
    if (this.leaseEnd > 0 && !this.alive) this.lapse();
    this.leaseEnd = now + LEASE - MARGIN_MS;
    cluster.leases.set(this.name, after(now, LEASE));
    const live = [...cluster.leases.values()].filter((end) => end > now).length;
    const share = Math.ceil(PARTITIONS / live);
    await this.take(share - this.own.size);
    const kept = [...this.own].filter(([, { leaving }]) => !leaving).map(([part]) => part);
    if (kept.length > share) void this.giveAway(kept.slice(share));
    cluster.clock.at(after(now, RENEW_EVERY), () => gate.run(() => void this.renew()));
    for (const errand of cluster.errands.splice(0))
      if (!this.owns(errand.hostKey) || !(await this.ears?.errand(errand))) cluster.errands.push(errand);
  }

  private async take(most: number): Promise<void> {
    const free = this.cluster.owners
      .map((owner, part) => ({ owner, part }))
      .filter(({ owner }) => this.cluster.isFree(owner));
    const taken = free.slice(0, Math.max(0, most)).map(({ owner, part }) => {
      const abruptly = owner.abruptly || owner.node !== undefined;
      Object.assign(owner, { node: this.name, epoch: owner.epoch + 1, abruptly: false });
      return { part, epoch: owner.epoch, abruptly };
    });
    if (taken.length === 0) return;
    const parts = taken.map(({ part }) => part);
    await this.listener?.gaining(
      parts,
      taken.flatMap(({ part, abruptly }) => (abruptly ? [part] : [])),
    );
    for (const { part, epoch } of taken) this.own.set(part, { epoch, leaving: false });
    this.listener?.gained(parts);
  }

  private async giveAway(parts: readonly number[]): Promise<void> {
    const { name } = this;
    for (const part of parts) this.own.get(part)!.leaving = true;
    let orderly = false;
    const ended = this.listener?.losing(parts, false).then(() => {
      orderly = true;
    });
    const late = new Promise<void>((resolve) => {
      this.cluster.clock.at(after(this.cluster.clock.now(), seconds(5)), () => this.gate.run(resolve));
    });
    await Promise.race([ended, late]);
    if (name !== this.name || !this.alive) return;
    for (const part of parts) {
      this.own.delete(part);
      Object.assign(this.cluster.owners[part]!, { node: undefined, abruptly: !orderly });
    }
  }

  private lapse(): void {
    const parts = [...this.own.keys()];
    this.own.clear();
    this.cluster.leases.delete(this.name);
    this.name = `node-${++names}`;
    void this.listener?.losing(parts, true);
  }
}
