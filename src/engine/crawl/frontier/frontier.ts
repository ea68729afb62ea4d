/**
 * The part of one crawler's frontier that is in memory: for each host in use, a window on its queued URLs, and for each
 * source, the hosts that have a URL and may receive a request now. The rest stays in the store. Nothing here ever waits
 * for a host. A window is refilled from the store when it runs low (window-refill.ts). A URL is *held* from the moment
 * it enters a buffer until its settlement has been written, so it is never in two places.
 */
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { SOURCES, type SourceNumber, USER } from '../../../domain/frontier/sources.js';
import { WeightedPick } from '../../../domain/frontier/weighted-pick.js';
import type { HostPause } from '../../../domain/politeness/server-pace.js';
import { type Duration, earlier, type Instant, NEVER } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlQueue } from '../../ports/frontier-store.js';
import type { Nodes } from '../../ports/nodes.js';
import type { Partitions } from '../../ports/partitions.js';
import { Fifo } from '../../support/fifo.js';
import type { Host, Hosts } from '../hosts/hosts.js';
import type { Strangers } from '../hosts/strangers.js';
import { UrgentVisits } from '../requested-visits.js';
import type { Gates } from './gates.js';
import { HostWindow } from './host-window.js';
import { WindowRefill } from './window-refill.js';

const SWEEP_PAGE_SIZE = 1000;

const SOURCE_NUMBERS = SOURCES.map((_, i) => i as SourceNumber);

export interface FrontierSettings {
  /** Weights by source number. */
  readonly weights: readonly number[];
  /** Maximum number of requests in flight at one host. */
  readonly concurrencyPerHost: number;
  /** A document not visited for longer than this takes precedence over the first source, whatever the load. */
  readonly maximumAge: Duration;
}

interface FrontierServices {
  readonly store: UrlQueue;
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly partitions: Partitions;
  readonly nodes: Nodes;
  readonly strangers: Pick<Strangers, 'areNaming' | 'haveNamed'>;
}

export class Frontier {
  readonly picks: number[] = SOURCES.map(() => 0);
  private readonly windows = new Map<string, HostWindow>();
  private readonly readyHosts = SOURCES.map(() => new Fifo<HostWindow>());
  private readonly picker: WeightedPick;
  private readonly refills: WindowRefill;
  private readonly urgent: UrgentVisits<HostWindow>;
  private readonly unregister: () => void;
  private closed = false;
  private listener: () => void = () => undefined;
  private readonly hasReadyWindow = (source: number): boolean => this.skipToReadyWindow(source as SourceNumber);
  private readonly isSourceAwaited = (source: number): boolean => this.refills.isAwaited(source as SourceNumber);

  private readonly store: UrlQueue;
  private readonly hosts: Hosts;
  private readonly clock: Clock;
  private readonly partitions: Partitions;
  private readonly nodes: Nodes;
  private readonly areStrangers: (url: UrlState) => boolean;

  constructor(
    private readonly crawler: string,
    services: FrontierServices,
    private settings: FrontierSettings,
    private readonly gates?: Gates,
  ) {
    this.store = services.store;
    this.hosts = services.hosts;
    this.clock = services.clock;
    this.partitions = services.partitions;
    this.nodes = services.nodes;
    this.areStrangers = (url) => services.strangers.haveNamed(url);
    this.picker = new WeightedPick(settings.weights);
    const offer = (window: HostWindow): void => this.offer(window);
    this.refills = new WindowRefill(crawler, services, this.windows, offer, () => this.wake());
    this.urgent = new UrgentVisits(
      this.clock,
      () => this.wake(),
      (url, window) => {
        window.buffers[USER]!.unshift(url);
        this.offer(window);
      },
    );
    gates?.setOfferHandler((gatedWindow) => {
      const window = this.windows.get(gatedWindow.host.key);
      if (window && window === gatedWindow) this.offer(window);
    });
    this.unregister = this.hosts.addUser({
      onHostReady: (host) => {
        this.urgent.noteHostReady(host.key);
        this.offerAgain(host);
      },
      isUsing: (hostKey) => this.windows.has(hostKey),
    });
  }

  /** @param listener called when there may be a URL to visit that was not there before */
  onReady(listener: () => void): void {
    this.listener = listener;
  }

  /** To be called when something that visits are waiting for may have changed. */
  wake(): void {
    this.listener();
  }

  configure(settings: FrontierSettings): void {
    this.settings = settings;
    this.picker.setWeights(settings.weights);
    for (const window of this.windows.values()) {
      window.limit = settings.concurrencyPerHost;
      this.gates?.assign(window);
      this.offer(window);
    }
  }

  /**
   * Picks the next URL to visit, with its host, by the weights of the sources that have one; the caller holds it from
   * now on.
   */
  takeNext(): { url: UrlState; host: Host; source: SourceNumber } | undefined {
    const urgentVisit = this.urgent.takeNext();
    if (urgentVisit) {
      this.picks[USER]!++;
      return { url: urgentVisit.url, host: urgentVisit.window.host, source: USER };
    }
    const turn = this.picker.pick(this.hasReadyWindow, this.isSourceAwaited) as SourceNumber | undefined;
    if (turn === undefined) return undefined;
    const window = this.readyHosts[turn]!.shift()!;
    window.ready[turn] = false;
    const source = window.yieldTurn(turn);
    const url = window.take(source);
    this.picks[source]!++;
    this.refills.refillIfLow(window, source);
    return { url, host: window.host, source };
  }

  /** To be called when the visit of the URL returned by `next` begins. */
  noteVisitStarted(url: UrlState): void {
    const window = this.windows.get(url.hostKey);
    if (window) this.gates?.noteVisitStarted(url, window);
  }

  /** Called after `next` and when the host becomes ready: it may have room for another request. */
  offerAgain(host: Host): void {
    const window = this.windows.get(host.key);
    if (window) this.offer(window);
  }

  /** Puts a URL back unvisited, at the head of its queue. */
  putBack(url: UrlState, source: SourceNumber): void {
    const window = this.windows.get(url.hostKey);
    this.picks[source]!--;
    if (!window) return; // the host now belongs to another node
    window.buffers[source]!.unshift(url);
    this.offer(window);
  }

  /** Sets a limit specific to the host; undefined restores the crawler's own. */
  limitHost(hostKey: string, limit: number | undefined): void {
    const window = this.windows.get(hostKey);
    if (window) window.limit = limit ?? this.settings.concurrencyPerHost;
  }

  /** Takes URLs that have just been stored or whose due time has changed. */
  admit(states: readonly UrlState[]): void {
    const now = this.clock.now();
    const foreignHosts = new Set<string>();
    for (const state of states) {
      if (state.source === undefined) continue;
      if (!this.partitions.owns(state.hostKey)) {
        foreignHosts.add(state.hostKey);
        continue;
      }
      const window = this.findOrCreateWindow(state.hostKey);
      if (window.heldIds.has(state.id)) continue;
      const buffer = window.buffers[state.source]!;
      // Put directly into the buffer only if nothing older is waiting in the store: first in, first out.
      const canBuffer =
        state.dueAt <= now &&
        window.nextDue[state.source]! > now &&
        !window.loading[state.source] &&
        buffer.size < this.refills.windowSize;
      if (canBuffer) {
        window.heldIds.add(state.id);
        buffer.push(state);
        this.offer(window);
      } else this.refills.refillAt(window, state.source, state.dueAt);
    }
    if (foreignHosts.size > 0) this.nodes.notifyDue(foreignHosts);
  }

  /**
   * Queues a URL that a user wants visited now: one request is made to its host even while the host is resting. Returns
   * false if the host is not resting, already has such a visit waiting, or the URL is in flight.
   */
  queueUrgently(url: UrlState): boolean {
    if (!this.partitions.owns(url.hostKey)) return false;
    const window = this.findOrCreateWindow(url.hostKey);
    const { host } = window;
    const now = this.clock.now();
    if (host.paused || (host.loaded && !host.isResting(now)) || !window.isOpen(now)) return false;
    if (window.heldIds.has(url.id) && !this.removeBuffered(window, url.id)) return false;
    window.heldIds.add(url.id);
    if (this.urgent.add(url, window)) return true;
    window.buffers[USER]!.unshift(url);
    return false;
  }

  /** Hosts in use that are resting, at most `limit`. */
  listRestingHosts(limit: number): string[] {
    const now = this.clock.now();
    const hosts: string[] = [];
    for (const { host } of this.windows.values()) {
      if (hosts.length >= limit) break;
      if (host.isResting(now) && !host.paused) hosts.push(host.key);
    }
    return hosts;
  }

  /** Forgets what is in memory about hosts that another node now owns. */
  revoke(isLost: (hostKey: string) => boolean): void {
    this.urgent.revoke(isLost);
    for (const [hostKey, window] of this.windows) {
      if (!isLost(hostKey)) continue;
      window.clear();
      this.windows.delete(hostKey);
      for (const gate of window.gates) gate.onPassedOver();
    }
  }

  /** To be called when the URL's settlement has been written. `next` is its new place in the queue, if any. */
  requeue(url: { id: UrlId; hostKey: string }, next: { source: SourceNumber; dueAt: Instant } | undefined): void {
    const window = this.windows.get(url.hostKey);
    if (!window) return;
    window.heldIds.delete(url.id);
    if (next) this.refills.refillAt(window, next.source, next.dueAt);
  }

  /** True if a visit of the URL, or a decision about it, has begun and is not settled yet. */
  isInFlight(url: { id: UrlId; hostKey: string }): boolean {
    const window = this.windows.get(url.hostKey);
    return window?.heldIds.has(url.id) === true && !window.isBuffered(url.id);
  }

  /** Holds a URL that is to be decided on without a visit; returns false if it is already in flight. */
  hold(url: { id: UrlId; hostKey: string }): boolean {
    const window = this.findOrCreateWindow(url.hostKey);
    if (window.heldIds.has(url.id)) return this.removeBuffered(window, url.id);
    window.heldIds.add(url.id);
    return true;
  }

  /**
   * Finds the hosts whose URLs are due by the horizon, page by page, and releases hosts that are not in use. Covers the
   * given partitions, or all owned ones if none are given.
   */
  async sweep(horizon: Instant, partitions = this.partitions.owned): Promise<void> {
    if (partitions?.length === 0) return;
    let after: string | undefined;
    do {
      const page = await this.store.listBacklogs(this.crawler, horizon, after, SWEEP_PAGE_SIZE, partitions);
      if (this.closed) return;
      for (const { hostKey, source, dueAt } of page.backlogs)
        if (this.partitions.owns(hostKey)) this.refills.refillAt(this.findOrCreateWindow(hostKey), source, dueAt);
      after = page.next;
    } while (after !== undefined);
    this.dropUnusedWindows(horizon);
  }

  /** True if nothing is buffered, being read or due; URLs in flight are held, too. */
  isEmpty(): boolean {
    if (this.refills.isReading) return false;
    const now = this.clock.now();
    for (const window of this.windows.values()) {
      if (window.heldIds.size > 0 || window.nextDue.some((dueAt) => dueAt <= now)) return false;
    }
    return true;
  }

  /** True if there may be a URL to visit by the given time. */
  mayHaveUrlBefore(horizon: Instant): boolean {
    if (this.refills.isReading) return true;
    const now = this.clock.now();
    for (const window of this.windows.values()) {
      if (window.gates.length > 0 && window.getReadyTime(now) > horizon) continue;
      if (window.nextDue.some((dueAt) => dueAt <= horizon)) return true;
      if (!window.host.paused && window.host.readyAt <= horizon && window.bufferedCount > 0) return true;
    }
    return false;
  }

  /**
   * Summarizes the hosts with URLs in memory and when the first of them may receive a request; used to explain what
   * limits the crawl speed.
   */
  summarizeWaiting(): {
    hosts: number;
    urls: number;
    largest: { hostKey: string; urls: number; pause?: HostPause }[];
    nextRequestAt?: Instant;
    /** Set if schedules keep all hosts closed: when the first of them opens. */
    closedUntil?: Instant;
    limitedByHost: boolean;
  } {
    const now = this.clock.now();
    let nextRequestAt: Instant = NEVER;
    let urls = 0;
    let isAnyReady = false;
    let closedUntil: Instant | undefined = NEVER;
    const queuedHosts: { hostKey: string; urls: number; pause?: HostPause }[] = [];
    for (const window of this.windows.values()) {
      const count = window.bufferedCount;
      if (count === 0) continue;
      urls += count;
      queuedHosts.push({ hostKey: window.host.key, urls: count, pause: window.host.lastPause });
      const { host } = window;
      const reopensAt = this.gates?.findReopeningTime(host.key, now);
      closedUntil = reopensAt && closedUntil && earlier(reopensAt, closedUntil);
      if (host.isReady(now, window.limit) && window.isOpen(now)) isAnyReady = true;
      else if (!host.paused && window.getReadyTime(now) < nextRequestAt) nextRequestAt = window.getReadyTime(now);
    }
    queuedHosts.sort((a, b) => b.urls - a.urls);
    return {
      hosts: queuedHosts.length,
      urls,
      largest: queuedHosts.slice(0, 2),
      nextRequestAt: nextRequestAt < NEVER ? nextRequestAt : undefined,
      ...(closedUntil === undefined || queuedHosts.length === 0 ? {} : { closedUntil }),
      limitedByHost: queuedHosts.length > 0 && !isAnyReady,
    };
  }

  close(): void {
    this.closed = true;
    this.unregister();
    this.urgent.close();
    this.refills.close();
  }

  private removeBuffered(window: HostWindow, id: UrlId): boolean {
    if (this.urgent.remove({ id, hostKey: window.host.key })) return true;
    if (!window.removeBuffered(id)) return false;
    for (const source of SOURCE_NUMBERS) this.refills.refillIfLow(window, source);
    return true;
  }

  private findOrCreateWindow(hostKey: string): HostWindow {
    let window = this.windows.get(hostKey);
    if (!window) {
      window = new HostWindow(this.hosts.get(hostKey), this.settings.concurrencyPerHost, this.areStrangers);
      this.windows.set(hostKey, window);
      this.gates?.assign(window);
    }
    return window;
  }

  private skipToReadyWindow(source: SourceNumber): boolean {
    const queue = this.readyHosts[source]!;
    const now = this.clock.now();
    for (let window = queue.peek(); window; window = queue.peek()) {
      if (window.hasUrl(source) && window.isReady(now)) return true;
      // The host is busy or resting: its clock, or a gate, will offer the window again.
      queue.shift();
      window.ready[source] = false;
      for (const gate of window.gates) gate.onPassedOver();
    }
    return false;
  }

  /** Puts the host into the ready queues of the sources in which it has URLs; reads due URLs from the store. */
  private offer(window: HostWindow): void {
    const now = this.clock.now();
    window.promoteOverdue(this.settings.maximumAge, now);
    const isReady = window.isReady(now);
    let hasOffered = false;
    for (const source of SOURCE_NUMBERS) {
      if (window.buffers[source]!.size === 0) this.refills.refill(window, source);
      if (isReady && window.hasUrl(source) && !window.ready[source]) {
        window.ready[source] = true;
        this.readyHosts[source]!.push(window);
        hasOffered = true;
      }
    }
    if (hasOffered) this.wake();
  }

  private dropUnusedWindows(horizon: Instant): void {
    for (const [key, window] of this.windows)
      if (window.isUnused(horizon) && !window.ready.includes(true)) this.windows.delete(key);
    this.refills.forgetDropped();
    this.hosts.forgetUnused();
  }
}
