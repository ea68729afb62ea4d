import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import { SOURCES } from '../../domain/frontier/sources.js';
import { type Instant, NEVER } from '../../domain/time/units.js';
import { Fifo } from '../support/fifo.js';
import type { Host } from './hosts.js';

/** One crawler's view on the queued URLs of one host: what of each source is in memory, and from when on the store has more. */
export class HostWindow {
  readonly buffers = SOURCES.map(() => new Fifo<UrlState>());
  /** Due time of the first stored URL that is not in the buffer; NEVER when there is none. */
  readonly nextDue: Instant[] = SOURCES.map(() => NEVER);
  readonly loading: boolean[] = SOURCES.map(() => false);
  /** Stands in the ready queue of the source. */
  readonly ready: boolean[] = SOURCES.map(() => false);
  /** Buffered or under way. */
  readonly held = new Set<UrlId>();
  /** Requests that this crawler may have under way at this host at once. */
  limit: number;

  constructor(
    readonly host: Host,
    limit: number,
  ) {
    this.limit = limit;
  }

  get buffered(): number {
    return this.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  isUnused(horizon: Instant): boolean {
    return this.held.size === 0 && !this.loading.includes(true) && this.nextDue.every((due) => due > horizon);
  }

  isBuffered(id: UrlId): boolean {
    return this.bufferOf(id) !== undefined;
  }

  /** Takes a URL out of its buffer; false when it is under way already. */
  takeOut(id: UrlId): boolean {
    const buffer = this.bufferOf(id);
    if (!buffer) return false;
    const rest = [...buffer].filter((state) => state.id !== id);
    while (buffer.shift());
    for (const state of rest) buffer.push(state);
    return true;
  }

  private bufferOf(id: UrlId): Fifo<UrlState> | undefined {
    return this.buffers.find((candidate) => [...candidate].some((state) => state.id === id));
  }

  empty(): void {
    for (const buffer of this.buffers) while (buffer.shift());
  }
}
