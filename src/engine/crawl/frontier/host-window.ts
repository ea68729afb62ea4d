import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH, SOURCES, type SourceNumber, USER } from '../../../domain/frontier/sources.js';
import { type Duration, type Instant, instant, NEVER } from '../../../domain/time/units.js';
import { Fifo } from '../../support/fifo.js';
import type { Host } from '../hosts/hosts.js';
import { STRANGERS_SOURCE } from '../hosts/strangers.js';
import type { Gate } from './gate.js';

/** Of a host's visits, strangers' URLs get one after so many of its own while any of its own wait. */
const OWN_TURNS = 20;

const OWN_SOURCES: readonly SourceNumber[] = SOURCES.map((_, i) => i as SourceNumber).filter(
  (i) => i !== STRANGERS_SOURCE,
);

/** One crawler's view of a host's queued URLs: what is in memory from each source, and when the store has more. */
export class HostWindow {
  readonly buffers = SOURCES.map(() => new Fifo<UrlState>());
  /**
   * Documents past their maximum age: they take precedence over the URLs of the first source, and alternate with them
   * if there are many.
   */
  private readonly overdueUrls = new Fifo<UrlState>();
  private tookOverdue = false;
  /** Of the host's own URLs, those taken since the last one of strangers. */
  private ownTurns = 0;
  /** By source: due time of the first stored URL that is not in the buffer; NEVER if there is none. */
  readonly nextDue: Instant[] = SOURCES.map(() => NEVER);
  readonly loading: boolean[] = SOURCES.map(() => false);
  /** By source: whether the window is in its ready queue. */
  readonly ready: boolean[] = SOURCES.map(() => false);
  /** URLs that are buffered or in flight. */
  readonly heldIds = new Set<UrlId>();
  /** Maximum number of requests that this crawler may have in flight at this host. */
  limit: number;
  /** Gates that its pages must pass in addition to the host's politeness; usually none. */
  gates: readonly Gate[] = [];

  constructor(
    readonly host: Host,
    limit: number,
    private readonly areStrangers: (url: UrlState) => boolean = () => false,
  ) {
    this.limit = limit;
  }

  get bufferedCount(): number {
    return this.overdueUrls.size + this.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** Whether a page may be requested now. If a gate prevents it, that gate offers the window again. */
  isReady(now: Instant): boolean {
    return this.host.isReady(now, this.limit) && (this.gates.length === 0 || this.passesGates(now));
  }

  /** When a page may be requested, as far as that is known. */
  getReadyTime(now: Instant): Instant {
    return instant(Math.max(this.host.readyAt, ...this.gates.map((gate) => gate.getOpeningTime(now, this))));
  }

  isOpen(now: Instant): boolean {
    return this.gates.every((gate) => gate.getOpeningTime(now, this) <= now);
  }

  private passesGates(now: Instant): boolean {
    const closedGate = this.gates.find((gate) => gate.getOpeningTime(now, this) > now);
    if (closedGate && this.bufferedCount > 0) closedGate.offerWhenOpen(this);
    return closedGate === undefined;
  }

  hasUrl(source: SourceNumber): boolean {
    return this.buffers[source]!.size > 0 || (source === USER && this.overdueUrls.size > 0);
  }

  /**
   * The source from which the next URL is taken in a turn of this one: not that of strangers before the host's own have had
   * theirs. The weights alone would not do: the sources of all hosts share them, and strangers may name URLs of one host only.
   */
  yieldTurn(source: SourceNumber): SourceNumber {
    const next = source === STRANGERS_SOURCE ? this.buffers[source]!.peek() : undefined;
    if (!next || !this.areStrangers(next)) this.ownTurns++;
    else if (this.ownTurns >= OWN_TURNS) this.ownTurns = 0;
    else {
      const own = OWN_SOURCES.find((candidate) => this.hasUrl(candidate));
      if (own === undefined) return source;
      this.ownTurns++;
      return own;
    }
    return source;
  }

  /** Takes the next URL of a source that has one. */
  take(source: SourceNumber): UrlState {
    const buffer = this.buffers[source]!;
    if (source !== USER) return buffer.shift()!;
    this.tookOverdue = this.overdueUrls.size > 0 && !(this.tookOverdue && buffer.size > 0);
    return (this.tookOverdue ? this.overdueUrls : buffer).shift()!;
  }

  /**
   * Enforces the maximum age: the weights of the other sources can starve only the refresh source, not overdue
   * documents.
   */
  promoteOverdue(maximumAge: Duration, now: Instant): void {
    const refreshBuffer = this.buffers[REFRESH]!;
    for (let url = refreshBuffer.peek(); url?.lastVisitAt !== undefined; url = refreshBuffer.peek()) {
      if (now - url.lastVisitAt <= maximumAge) return;
      this.overdueUrls.push(refreshBuffer.shift()!);
    }
  }

  isUnused(horizon: Instant): boolean {
    return this.heldIds.size === 0 && !this.loading.includes(true) && this.nextDue.every((dueAt) => dueAt > horizon);
  }

  isBuffered(id: UrlId): boolean {
    return this.findBuffer(id) !== undefined;
  }

  /** Takes a URL out of its buffer; false if it is already in flight. */
  removeBuffered(id: UrlId): boolean {
    const buffer = this.findBuffer(id);
    if (!buffer) return false;
    const remaining = [...buffer].filter((state) => state.id !== id);
    while (buffer.shift());
    for (const state of remaining) buffer.push(state);
    return true;
  }

  private findBuffer(id: UrlId): Fifo<UrlState> | undefined {
    return [this.overdueUrls, ...this.buffers].find((candidate) => [...candidate].some((state) => state.id === id));
  }

  clear(): void {
    for (const buffer of [this.overdueUrls, ...this.buffers]) while (buffer.shift());
  }
}
