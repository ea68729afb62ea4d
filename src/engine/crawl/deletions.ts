/**
 * Deletions that a visit decided go through the guard of their crawler: a host that loses many documents at once may only
 * be having a bad day. What a person decided (clear, a change of the configuration, a release) does not.
 */

import type { DeletionGuardDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { DeletionGuard } from '../../domain/push/deletion-guard.js';
import { before, type Instant } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../ports/frontier-store.js';

const RESTORED = 100_000;
const PAGE = 1_000;

export class Deletions {
  private guard: DeletionGuard;
  private restored: Promise<void> | undefined;
  /** Hosts with deletions that wait for a person: until one has looked, no more are sent, however slowly they come. */
  private readonly holding = new Set<string>();

  constructor(
    private readonly crawler: string,
    settings: DeletionGuardDefinition,
    private readonly store: Pick<FrontierStore, 'indexedOfHost' | 'orders'>,
    private readonly clock: Clock,
  ) {
    this.guard = new DeletionGuard(settings);
  }

  async admit(state: UrlState): Promise<'send' | 'hold'> {
    if (!this.guard.settings.on) return 'send';
    this.restored ??= this.restore().catch((error: unknown) => {
      this.restored = undefined;
      throw error;
    });
    await this.restored;
    const { hostKey } = state;
    if (this.holding.has(hostKey) && (await this.hasHeld(hostKey))) return 'hold';
    this.holding.delete(hostKey);
    const indexed = await this.store.indexedOfHost(this.crawler, hostKey);
    const verdict = this.guard.admit(hostKey, indexed, this.clock.now());
    if (verdict === 'hold') this.holding.add(hostKey);
    return verdict;
  }

  private async hasHeld(hostKey: string): Promise<boolean> {
    const held = await this.store.orders({ crawler: this.crawler, hostKey, state: 'held' }, undefined, 1);
    return held.length > 0;
  }

  /** Hosts have come from another node, which may have deleted: the ledger is read again before the next deletion. */
  forget(): void {
    this.guard = new DeletionGuard(this.guard.settings);
    this.holding.clear();
    this.restored = undefined;
  }

  /** What was held, and what was sent within the window before a restart, still counts: the ledger remembers it. */
  private async restore(): Promise<void> {
    let last: number | undefined;
    for (let read = 0; read < RESTORED; read += PAGE) {
      const page = await this.store.orders({ crawler: this.crawler, state: 'held' }, last, PAGE);
      for (const { hostKey } of page) this.holding.add(hostKey);
      last = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    await this.restoreSent();
  }

  private async restoreSent(): Promise<void> {
    const since = before(this.clock.now(), this.guard.settings.window);
    const times = new Map<string, Instant[]>();
    let last: number | undefined;
    for (let read = 0; read < RESTORED; ) {
      const page = await this.store.orders(
        { crawler: this.crawler, kind: 'delete', state: 'acknowledged' },
        last,
        PAGE,
      );
      for (const entry of page) if (entry.decidedAt >= since) addTo(times, entry);
      const oldest = page.at(-1);
      if (!oldest || oldest.decidedAt < since || page.length < PAGE) break;
      last = oldest.id;
      read += page.length;
    }
    for (const [hostKey, at] of times) this.guard.restore(hostKey, at);
  }
}

function addTo(times: Map<string, Instant[]>, entry: LedgerEntry): void {
  const list = times.get(entry.hostKey);
  if (list) list.push(entry.decidedAt);
  else times.set(entry.hostKey, [entry.decidedAt]);
}
