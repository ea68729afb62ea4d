/**
 * The politeness of every web server in use, shared by all crawlers and kept in the store: when it may receive the next
 * request, how many requests are in flight, and whether it is resting. Notifies the frontiers when a host becomes
 * ready.
 */
import { TimeHeap } from '../../../domain/frontier/time-heap.js';
import {
  applyBackOff,
  applyGoodResponse,
  applyRequestEnd,
  applyRequestStart,
  computeNextRequestTime,
  dropImpossibleTimes,
  endBackOff,
  type Politeness,
  UNVISITED,
} from '../../../domain/politeness/politeness.js';
import { type HostPause, type ServerPace, UNKNOWN_PACE } from '../../../domain/politeness/server-pace.js';
import { after, type Duration, type Instant, instant, milliseconds, seconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { HostRecord, HostRecords } from '../../ports/frontier-store.js';
import { FencedOut, type Partitions } from '../../ports/partitions.js';
import { Batcher } from '../../support/batcher.js';
import { SOLE_OWNER } from '../../support/single-node.js';

const SAVE_INTERVAL = seconds(1);
/** Delay after the store has failed to return a host's record. */
const RETRY_DELAY = seconds(5);

export class Host {
  politeness: Politeness = UNVISITED;
  /** The pause after the last request; undefined before the first. */
  lastPause: HostPause | undefined;
  /** Counts how often its users were notified. */
  turn = 0;
  paused = false;
  /** See visit-price.ts; 0 until a refresh visit has set it. */
  visitPrice: Duration = milliseconds(0);
  /** When a refresh visit last set the price in this process. */
  pricedAt: Instant | undefined;
  /** Number of pages that took longer than SLOW_PAGE to read since this process first used the host. */
  slowPages = 0;
  /** How fast the host responds, compared with what is usual for it. */
  pace: ServerPace = UNKNOWN_PACE;
  /** Number of consecutive 5xx responses in this process. */
  serverErrors = 0;
  /** Number of requests in flight. */
  activeRequests = 0;
  /** True once its politeness has been read from the store. */
  loaded = false;
  /** Set while it is being read: a second read could bring back what has changed since the first. */
  loading: Promise<unknown> | undefined;
  /** True while a pending response, robots.txt or that to a probe, must arrive before another request may be sent. */
  waitsForResponse = false;
  dirty = false;

  constructor(readonly key: string) {}

  /** Whether a page may be requested now if at most `limit` requests may be in flight. */
  isReady(now: Instant, limit: number): boolean {
    return !this.waitsForResponse && this.isReadyForExtraRequest(now, limit);
  }

  /** Like isReady, for a request that need not wait for a pending response. */
  isReadyForExtraRequest(now: Instant, limit: number): boolean {
    return this.loaded && !this.paused && this.activeRequests < limit && now >= this.readyAt;
  }

  /** Like isReady, for a request that a user wants now: it respects the throttle, but not a back-off. */
  isReadyForUrgentRequest(now: Instant, limit: number): boolean {
    const isFree = this.loaded && !this.paused && !this.waitsForResponse && this.activeRequests < limit;
    return isFree && now >= this.politeness.nextRequestAt;
  }

  isResting(now: Instant): boolean {
    return this.politeness.backOffUntil > now;
  }

  get readyAt(): Instant {
    return computeNextRequestTime(this.politeness);
  }
}

/** A user of hosts: a crawler's frontier, or the slots for other requests. */
export interface HostUser {
  /** Called when the host may receive a request again. */
  onHostReady(host: Host): void;
  isUsing(hostKey: string): boolean;
}

export class Hosts {
  private readonly hosts = new Map<string, Host>();
  private readonly timers = new TimeHeap<Host>();
  private cancelTimer: (() => void) | undefined;
  private timerAt: Instant | undefined;
  private cancelSave: (() => void) | undefined;
  /**
   * Set if the previous process died: its last requests were not saved, so no host receives a request before this time.
   */
  quietUntil: Instant = instant(0);
  private readonly users = new Set<HostUser>();
  private readonly loader: Batcher<Host, undefined>;
  /** Saves hosts before requests are sent to them, if another node may have to take over. */
  private readonly saver: Batcher<Host, undefined>;
  /**
   * For each partition whose previous owner could not report its last requests: the time until which its hosts rest.
   */
  private readonly restsUntil = new Map<number, Instant>();

  constructor(
    private readonly store: HostRecords,
    private readonly clock: Clock,
    private readonly onBackOff: (host: Host, cause?: string) => void = () => undefined,
    private readonly partitions: Partitions = SOLE_OWNER,
    private readonly onRecovery: (host: Host) => void = () => undefined,
  ) {
    this.loader = new Batcher((hosts) => this.load(hosts), 500);
    this.saver = new Batcher((hosts) => this.saveBatch(hosts), 500);
  }

  /** The user is registered until the returned function is called. */
  addUser(user: HostUser): () => void {
    this.users.add(user);
    return () => this.users.delete(user);
  }

  get(key: string): Host {
    let host = this.hosts.get(key);
    if (!host) {
      host = new Host(key);
      this.hosts.set(key, host);
      void this.read(host);
    }
    return host;
  }

  /** The host's current state, without making it one of the hosts in use. */
  peek(key: string): Host | undefined {
    return this.hosts.get(key);
  }

  /** Forgets hosts that are not in use, so that memory depends on the hosts in use, not on all hosts ever seen. */
  forgetUnused(): void {
    const now = this.clock.now();
    for (const [key, host] of this.hosts) {
      if (host.activeRequests > 0 || host.dirty || host.paused || host.readyAt > now) continue;
      // Another crawler may be using it: two objects for one host would each keep their own clock.
      if (![...this.users].some((user) => user.isUsing(key))) this.hosts.delete(key);
    }
  }

  /** Marks the host as busy with a request until `releaseAfterRequest` or `release` is called. */
  claim(host: Host): void {
    host.activeRequests++;
  }

  /**
   * To be called before a request is sent. If several nodes share the hosts, the pause it causes is saved first, so
   * that a node that takes over respects it.
   * @throws FencedOut when it is no longer certain that the host belongs to this node
   */
  recordRequestStart(host: Host, delay: Duration): Promise<void> | undefined {
    return this.recordRequestStartWithPermit(host, delay)?.then(() => {
      if (!this.partitions.owns(host.key)) throw new FencedOut([]);
    });
  }

  /**
   * Like recordRequestStart, for a host that may belong to another node: its pause is respected as far as this node
   * knows it.
   */
  recordRequestStartWithPermit(host: Host, delay: Duration): Promise<void> | undefined {
    this.setPoliteness(host, applyRequestStart(host.politeness, this.clock.now(), delay));
    return this.partitions.shared ? this.saver.add(host) : undefined;
  }

  /** See FetchRequest. */
  get sendBy(): number | undefined {
    return this.partitions.sendBy;
  }

  /**
   * To be called before partitions are assigned to this node; hosts in those whose owner stopped responding rest until
   * the given time.
   */
  prepareAssignment(partitions: readonly number[], abandoned: readonly number[], until: Instant): void {
    for (const partition of partitions) this.restsUntil.delete(partition);
    for (const partition of abandoned) this.restsUntil.set(partition, until);
    const assigned = new Set(partitions);
    for (const host of this.hosts.values()) {
      if (!assigned.has(this.partitions.getPartition(host.key))) continue;
      host.loaded = false;
      void this.read(host);
    }
  }

  /**
   * Discards what is known about hosts that this node is losing; hosts with requests in flight stay in memory until the
   * requests have ended.
   */
  revoke(isLost: (hostKey: string) => boolean): void {
    for (const host of this.hosts.values()) {
      if (!isLost(host.key)) continue;
      host.loaded = false;
      host.dirty = false;
      if (host.activeRequests === 0) this.hosts.delete(host.key);
    }
  }

  /** Ends a claim whose last request ended at least `elapsed` before now; the next request waits `delay` from then. */
  releaseAfterRequest(host: Host, delay: Duration, elapsed = milliseconds(0)): void {
    this.setPoliteness(host, applyRequestEnd(host.politeness, instant(this.clock.now() - elapsed), delay));
    this.release(host);
  }

  /** Ends a claim without a request, so no pause follows. */
  release(host: Host): void {
    host.activeRequests--;
    this.notifyWhenReady(host);
  }

  noteResponse(host: Host): void {
    this.setPolitenessAndNotifyRecovery(host, applyGoodResponse(host.politeness, this.clock.now()));
  }

  /** To be called when a visit that a user requested while the host was resting was successful. */
  noteRecovery(host: Host): void {
    this.setPolitenessAndNotifyRecovery(host, endBackOff(host.politeness, this.clock.now()));
    this.saveNow();
    this.notifyWhenReady(host);
  }

  private setPolitenessAndNotifyRecovery(host: Host, politeness: Politeness): void {
    const wasBackingOff = host.politeness.backOffStep > 0;
    this.setPoliteness(host, politeness);
    if (wasBackingOff && politeness.backOffStep === 0) this.onRecovery(host);
  }

  /** @param cause error code, for the log */
  backOff(host: Host, retryAfter: Duration | undefined, cause?: string): void {
    const previous = host.politeness;
    this.setPoliteness(host, applyBackOff(previous, this.clock.now(), retryAfter));
    if (host.politeness !== previous) {
      this.onBackOff(host, cause);
      // Saved at once, so that the back-off survives a crash.
      this.saveNow();
    }
    this.notifyWhenReady(host);
  }

  /** To be called when a refresh visit has determined what the next one costs. */
  setVisitPrice(host: Host, price: Duration): void {
    host.visitPrice = price;
    host.pricedAt = this.clock.now();
    this.markDirty(host);
  }

  /** Resolves once that holds; what is known about a host that is not in use has to be read first. */
  async setPaused({ key }: Pick<Host, 'key'>, paused: boolean): Promise<void> {
    let host = this.get(key);
    while (!host.loaded) {
      await (host.loading ?? this.read(host));
      host = this.get(key);
    }
    host.paused = paused;
    this.markDirty(host);
    if (!paused) this.notifyWhenReady(host);
  }

  /** Notifies the users, either now or once the host's pauses are over. */
  notifyWhenReady(host: Host): void {
    const now = this.clock.now();
    if (host.readyAt <= now) this.notify(host);
    else {
      this.timers.push(host.readyAt, host);
      this.armTimer();
    }
  }

  /** Saves changes to this node's hosts and to those that it is about to give up. */
  async save(isLeaving: (hostKey: string) => boolean = () => false): Promise<void> {
    this.cancelSave?.();
    this.cancelSave = undefined;
    const dirtyHosts = [...this.hosts.values()].filter((host) => host.dirty);
    for (const host of dirtyHosts) host.dirty = false;
    await this.write(dirtyHosts.filter((host) => this.partitions.owns(host.key) || isLeaving(host.key)));
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelSave?.();
  }

  private notify(host: Host): void {
    const users: HostUser[] = [];
    for (const user of this.users) if (user.isUsing(host.key)) users.push(user);
    // The first one is likely to send the next request, so each crawler is the first one in turn.
    const first = host.turn++;
    for (let i = 0; i < users.length; i++) users[(first + i) % users.length]!.onHostReady(host);
  }

  private setPoliteness(host: Host, politeness: Politeness): void {
    if (politeness === host.politeness) return;
    host.politeness = politeness;
    this.markDirty(host);
  }

  private markDirty(host: Host): void {
    host.dirty = true;
    this.cancelSave ??= this.clock.at(after(this.clock.now(), SAVE_INTERVAL), () => {
      this.cancelSave = undefined;
      this.saveNow();
    });
  }

  private async saveBatch(hosts: Host[]): Promise<undefined[]> {
    const ownHosts = hosts.filter((host) => this.partitions.owns(host.key));
    for (const host of ownHosts) host.dirty = false;
    await this.write(ownHosts);
    return hosts.map(() => undefined);
  }

  private async write(hosts: readonly Host[]): Promise<void> {
    if (hosts.length === 0) return;
    try {
      await this.store.saveHosts(hosts.map(toRecord));
    } catch (error) {
      for (const host of hosts) this.markDirty(host);
      throw error;
    }
  }

  /**
   * The store's failure is reported elsewhere; what could not be saved is saved with the next change or in a second.
   */
  private saveNow(): void {
    this.save().catch(() => undefined);
  }

  /** Reads the host's record from the store; until then, no request is sent to the host. */
  private read(host: Host): Promise<unknown> {
    const loading = this.loader.add(host);
    host.loading = loading;
    const end = (): void => {
      if (host.loading === loading) host.loading = undefined;
    };
    const retry = (): void => {
      if (this.hosts.get(host.key) === host && !host.loaded && !host.loading) void this.read(host);
    };
    loading.finally(end).catch(() => this.clock.at(after(this.clock.now(), RETRY_DELAY), retry));
    return loading;
  }

  private async load(hosts: Host[]): Promise<undefined[]> {
    const records = new Map(
      (await this.store.loadHosts(hosts.map((host) => host.key))).map((record) => [record.hostKey, record]),
    );
    for (const host of hosts) {
      const record = records.get(host.key);
      if (record) {
        const stored = dropImpossibleTimes(record, this.clock.now());
        host.politeness = { ...stored, nextRequestAt: getLater(host.politeness.nextRequestAt, stored.nextRequestAt) };
        host.paused = record.paused;
        host.visitPrice = record.visitPrice;
      }
      const restsUntil = getLater(this.quietUntil, this.restsUntil.get(this.partitions.getPartition(host.key)));
      if (host.readyAt < restsUntil) host.politeness = { ...host.politeness, nextRequestAt: restsUntil };
      host.loaded = true;
      this.notifyWhenReady(host);
    }
    return hosts.map(() => undefined);
  }

  private armTimer(): void {
    const next = this.timers.peekTime();
    if (next === undefined || (this.timerAt !== undefined && this.timerAt <= next)) return;
    this.cancelTimer?.();
    this.timerAt = next;
    this.cancelTimer = this.clock.at(next, () => {
      this.timerAt = undefined;
      const now = this.clock.now();
      for (let host = this.timers.popDue(now); host; host = this.timers.popDue(now)) {
        // The host's clock may have moved on since; then its entry is put back with the later time.
        if (host.readyAt <= now) this.notify(host);
        else this.timers.push(host.readyAt, host);
      }
      this.armTimer();
    });
  }
}

const getLater = (time: Instant, otherTime: Instant | undefined): Instant =>
  otherTime !== undefined && otherTime > time ? otherTime : time;

const toRecord = ({ key, politeness, paused, visitPrice }: Host): HostRecord => {
  const { nextRequestAt, backOffUntil, backOffStep } = politeness;
  return { hostKey: key, nextRequestAt, backOffUntil, backOffStep, paused, visitPrice };
};
