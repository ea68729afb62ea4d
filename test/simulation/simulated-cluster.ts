/** The database that simulated nodes share, and what each of them sees of it: leases, partitions and messages on one clock. */
import {
  CommandQueue,
  type CommandTable,
  type Failure,
  type StoredCommand,
} from '../../src/adapters/storage/cluster/command-queue.js';
import type {
  Leases,
  RenewalOptions,
  RenewalResult,
  TakenPartition,
} from '../../src/adapters/storage/cluster/leases.js';
import { PostgresPartitions } from '../../src/adapters/storage/cluster/postgres-partitions.js';
import { computePartition, PARTITIONS } from '../../src/adapters/storage/shared/partition.js';
import { CLEARED } from '../../src/domain/crawl/commands.js';
import type { UrlId } from '../../src/domain/crawl/url-state.js';
import { after, type Instant, milliseconds, seconds } from '../../src/domain/time/units.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import type { Log } from '../../src/engine/ports/log.js';
import type { Nodes, NodesListener, OwnerCommand } from '../../src/engine/ports/nodes.js';
import { FencedOut } from '../../src/engine/ports/partitions.js';
import type { ManualClock } from '../support/manual-clock.js';
import type { DatabaseLink } from './database-link.js';
import type { Gate } from './gate.js';

/** Longer than in earnest, in proportion: most of what a world does would else be renewing leases. */
const LEASE = seconds(120);
const RENEW_EVERY = seconds(30);

/** A command that no release knows: whoever carries it out fails. */
const SENSELESS = '{"v":1,"do":"nothing that anybody knows","crawler":"world"}';

interface WaitingCommand extends StoredCommand {
  readonly retryAt: Instant;
  readonly isSetAside: boolean;
}

interface Owner {
  node: string | undefined;
  epoch: number;
  abruptly: boolean;
}

/** What is in the tables. The statements are carried out at once, one after the other: that is what transactions make of them. */
export class SimulatedCluster implements Pick<Leases, keyof Leases>, CommandTable {
  readonly violations: string[] = [];
  readonly members = new Set<SimulatedMember>();
  /** Raised when something was set that holds on all nodes. */
  revision = 0;
  private commands: WaitingCommand[] = [];
  private lastCommand = 0;
  private readonly owners: Owner[] = Array.from({ length: PARTITIONS }, () => ({
    node: undefined,
    epoch: 0,
    abruptly: false,
  }));
  private readonly leases = new Map<string, Instant>();
  private blocks = 0;

  constructor(
    readonly clock: ManualClock,
    private readonly store: FrontierStore,
  ) {}

  /** The store with what the shared one does more: fences, and blocks of order ids. */
  get shared(): FrontierStore {
    const { store } = this;
    return Object.assign(Object.create(store) as FrontierStore, {
      settle: async (settlements: Parameters<FrontierStore['settle']>[0]) => {
        const stale = settlements.flatMap(({ fence }) =>
          fence && this.owners[fence.partition]!.epoch !== fence.epoch ? [fence] : [],
        );
        if (stale.length > 0) throw new FencedOut(stale);
        for (const { id, fence, changes } of settlements) {
          // What a person asks for is marked on any node; the owner carries it out.
          const isMark = changes?.reason === 'reconciled' || changes?.pendingDeletion === CLEARED;
          if (!fence && !isMark) this.violations.push(`URL ${id} was settled without a fence`);
        }
        return store.settle(settlements);
      },
      getLastOrderId: async () => ++this.blocks * 2 ** 32,
      close: async () => undefined,
    } satisfies Partial<FrontierStore>);
  }

  async join(node: string, _: boolean, leaseMs: number): Promise<void> {
    this.leases.set(node, after(this.clock.now(), milliseconds(leaseMs)));
  }

  async renew(node: string, { leaseMs, countWanted: wants }: RenewalOptions): Promise<RenewalResult | undefined> {
    const now = this.clock.now();
    if ((this.leases.get(node) ?? 0) <= now) return undefined;
    this.leases.set(node, after(now, milliseconds(leaseMs)));
    for (const [name, end] of this.leases) if (end <= now) this.leases.delete(name);
    const taken = this.take(node, wants(this.leases.size));
    const ends = [...this.leases].flatMap(([name, end]) => (name === node ? [] : [end - now]));
    return {
      crawling: this.leases.size,
      watched: false,
      nextEndMs: ends.length === 0 ? null : Math.min(...ends),
      taken,
      owned: this.owners.flatMap((owner, part) => (owner.node === node ? [{ part, epoch: owner.epoch }] : [])),
    };
  }

  async readTime(): Promise<number> {
    return this.clock.now();
  }

  async release(node: string, parts: readonly number[], abruptly: boolean): Promise<void> {
    for (const part of parts) {
      const owner = this.owners[part]!;
      if (owner.node === node) Object.assign(owner, { node: undefined, abruptly: owner.abruptly || abruptly });
    }
  }

  async leave(node: string): Promise<void> {
    this.leases.delete(node);
  }

  send(command: OwnerCommand): void {
    const now = this.clock.now();
    const id = ++this.lastCommand;
    const part = computePartition(command.hostKey);
    this.commands.push({ ...command, id, part, tries: 0, retryAt: now, isSetAside: false });
  }

  sendSenseless(hostKey: string): void {
    this.send({ hostKey, delivers: false, text: SENSELESS });
  }

  /** What a world has to leave behind: senseless commands set aside, and nothing else. */
  unexpectedCommands(): string[] {
    return this.commands
      .filter(({ text, isSetAside }) => isSetAside !== (text === SENSELESS))
      .map(({ text, tries, isSetAside }) =>
        isSetAside ? `set aside: ${text}` : `still waiting after ${tries} failures: ${text}`,
      );
  }

  async findReady(partitions: readonly number[], without: readonly number[], limit: number): Promise<StoredCommand[]> {
    const now = this.clock.now();
    return this.commands
      .filter(({ id, part, retryAt, isSetAside }) => {
        const isReady = !isSetAside && retryAt <= now;
        return isReady && partitions.includes(part) && !without.includes(id);
      })
      .sort((a, b) => Number(a.delivers) - Number(b.delivers) || a.id - b.id)
      .slice(0, limit);
  }

  async remove({ id }: StoredCommand): Promise<void> {
    this.commands = this.commands.filter((command) => command.id !== id);
  }

  async recordFailure({ id }: StoredCommand, { tries, retryAfterMs }: Failure): Promise<void> {
    const isSetAside = retryAfterMs === undefined;
    const retryAt = after(this.clock.now(), milliseconds(retryAfterMs ?? 0));
    this.commands = this.commands.map((one) => (one.id === id ? { ...one, tries, retryAt, isSetAside } : one));
  }

  private take(node: string, most: number): TakenPartition[] {
    return this.owners
      .flatMap((owner, part) => (owner.node === undefined || !this.leases.has(owner.node) ? [{ part, owner }] : []))
      .slice(0, Math.max(0, most))
      .map(({ part, owner }) => {
        const abruptly = owner.abruptly || owner.node !== undefined;
        Object.assign(owner, { node, epoch: owner.epoch + 1, abruptly: false });
        return { part, epoch: owner.epoch, abruptly };
      });
  }
}

let memberCount = 0;

/** One node's partitions and messages; everything that it hears or does goes through its gate and its link. */
export class SimulatedMember implements Nodes {
  readonly name = `member-${++memberCount}`;
  readonly isWatched = false;
  readonly partitions: PostgresPartitions;
  private listener: NodesListener | undefined;
  private readonly queue: CommandQueue;
  private revision: number;

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly gate: Gate,
    private readonly link: DatabaseLink,
    log: Log,
  ) {
    const clock = gate.clock(cluster.clock);
    this.partitions = new PostgresPartitions(gate.guard(link.guard(cluster)), {
      crawls: true,
      log,
      leaseMs: LEASE,
      renewEveryMs: RENEW_EVERY,
      readUptime: () => clock.now(),
      schedule: (ms, action) => clock.at(after(clock.now(), milliseconds(ms)), action),
    });
    this.revision = cluster.revision;
    this.queue = new CommandQueue(gate.guard(link.guard(cluster)), {
      log,
      getOwnedPartitions: () => this.partitions.owned,
      carryOut: async (command) => (await this.listener?.onCommand(command)) ?? false,
    });
    this.partitions.onChange = () => this.tell((member) => void member.partitions.runRound().catch(() => undefined));
  }

  async open(listener: NodesListener): Promise<void> {
    this.listener = listener;
    this.cluster.members.add(this);
    this.look();
  }

  async close(): Promise<void> {
    this.cluster.members.delete(this);
  }

  notifyDue(hostKeys: Iterable<string>): void {
    const parts = new Set([...hostKeys].map((key) => this.partitions.getPartition(key)));
    this.tell((member) => {
      const mine = member.partitions.owned.filter((part) => parts.has(part));
      if (mine.length > 0) member.listener?.onDue(mine);
    });
  }

  notifyAllDue(): void {
    this.tell((member) => member.listener?.onDue(member.partitions.owned));
  }

  notifyRequested(ids: readonly UrlId[]): void {
    this.tell((member) => member.listener?.onRequested(ids));
  }

  async notifyControlChanged(): Promise<void> {
    await this.inDatabase(async () => this.cluster.revision++);
    this.tell((member) => void member.readTables());
  }

  async send(command: OwnerCommand): Promise<void> {
    await this.inDatabase(async () => this.cluster.send(command));
    void this.queue.start().catch(() => undefined);
  }

  countCommandsSetAside(): Promise<number> {
    return Promise.resolve(0);
  }

  sendEvent(): void {}

  async ask(): ReturnType<Nodes['ask']> {
    return { answers: [], complete: true };
  }

  /** A word that the network swallows is lost. */
  private tell(word: (member: SimulatedMember) => void): void {
    if (this.link.isCut) return;
    const { clock, members } = this.cluster;
    for (const member of members) {
      if (member === this || member.link.isCut) continue;
      clock.at(clock.now(), () => member.gate.run(() => word(member)));
    }
  }

  private inDatabase<T>(statement: () => Promise<T>): Promise<T> {
    return this.gate.guard(this.link.guard({ statement })).statement();
  }

  private look(): void {
    const clock = this.gate.clock(this.cluster.clock);
    clock.at(after(clock.now(), RENEW_EVERY), () => {
      this.queue.retryDeferred();
      void this.readTables().then(() => this.look());
    });
  }

  private async readTables(): Promise<void> {
    await this.readControl().catch(() => undefined);
    await this.queue.start().catch(() => undefined);
  }

  private async readControl(): Promise<void> {
    const revision = await this.inDatabase(async () => this.cluster.revision);
    if (revision === this.revision) return;
    await this.listener?.onControlChanged();
    this.revision = revision;
  }
}
