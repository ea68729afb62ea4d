/**
 * Passes deletions decided by visits through their crawler's guard: a host that fails, or loses many documents at once,
 * may merely have an outage. Deletions decided by a person (clear, a configuration change, a release) bypass it.
 */

import type { DeletionGuardDefinition } from '../../../domain/crawl/definition.js';
import { DeletionGuard } from '../../../domain/push/deletion-guard.js';
import { WITH_ITS_PAGE } from '../../../domain/push/parts.js';
import { isPageGone, isServerFault } from '../../../domain/push/sign-of-life.js';
import { before, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../../ports/frontier-store.js';
import type { HostTroubles, Wait, WantedDeletion } from '../host-trouble.js';

const RESTORED = 100_000;
const PAGE = 1_000;

/**
 * Number of documents that a host too small for the guard's limits may lose to errors while none of its pages responds
 * normally.
 */
const MOST_FAILURES = 3;
const HOSTS = 10_000;

/** `hold`: until a person decides. */
export type GuardVerdict = 'send' | 'hold' | Wait;

export interface DeletionServices {
  readonly store: Pick<FrontierStore, 'countIndexedOfHost' | 'listOrders'>;
  readonly clock: Clock;
  readonly troubles: HostTroubles;
}

export class Deletions {
  private guard: DeletionGuard;
  private restored: Promise<void> | undefined;
  /**
   * Hosts with deletions that are waiting for a person: no more are sent until the person has decided, however slowly
   * they come.
   */
  private readonly holding = new Set<string>();
  /** Documents lost to errors since the host's last sign of life, and when the first of them was lost. */
  private readonly failures = new Map<string, { readonly count: number; readonly since: Instant }>();

  constructor(
    private readonly crawler: string,
    private readonly settings: DeletionGuardDefinition,
    private readonly services: DeletionServices,
  ) {
    this.guard = new DeletionGuard(settings);
  }

  async judge(deletion: WantedDeletion): Promise<GuardVerdict> {
    const { settings } = this;
    const isFault = isServerFault(deletion.reason);
    if (!settings.on || (isFault && !settings.signOfLife)) return 'send';
    this.restored ??= this.restore().catch((error: unknown) => {
      this.restored = undefined;
      throw error;
    });
    await this.restored;
    const fault = isFault ? await this.services.troubles.judgeFault(deletion, settings) : 'pass';
    if (fault !== 'pass') return fault;
    const verdict = await this.checkLimits(deletion);
    if (verdict === 'hold') this.holding.add(deletion.state.hostKey);
    return verdict;
  }

  private async checkLimits(deletion: WantedDeletion): Promise<GuardVerdict> {
    const { store, troubles, clock } = this.services;
    const { hostKey } = deletion.state;
    if (this.holding.has(hostKey) && (await this.hasHeldDeletions(hostKey))) return 'hold';
    this.holding.delete(hostKey);
    const indexed = await store.countIndexedOfHost(this.crawler, hostKey);
    if (isPageGone(deletion.reason)) {
      const look = await troubles.judgeGone(deletion, indexed, this.settings);
      if (look !== 'pass') return look;
    }
    if (isServerFault(deletion.reason) && this.isFailing(hostKey, indexed)) return 'hold';
    return this.guard.judge(hostKey, indexed + (deletion.beside ?? 0), clock.now());
  }

  /** Whether the host has lost so many documents to errors without a sign of life that the fault must be the host's. */
  private isFailing(hostKey: string, indexed: number): boolean {
    const now = this.services.clock.now();
    const known = this.failures.get(hostKey) ?? { count: 0, since: now };
    const lastSign = this.services.troubles.findLastSignOfLife(hostKey);
    const { count, since } = lastSign !== undefined && lastSign >= known.since ? { count: 0, since: now } : known;
    this.failures.delete(hostKey);
    this.failures.set(hostKey, { count: count + 1, since });
    if (this.failures.size > HOSTS) this.failures.delete(this.failures.keys().next().value as string);
    return count + 1 > this.getMaxFailures(indexed + count);
  }

  private getMaxFailures(documents: number): number {
    const { maxDeletions, maxShare } = this.settings;
    return documents <= maxDeletions ? MOST_FAILURES : Math.max(maxDeletions, maxShare * documents);
  }

  private async hasHeldDeletions(hostKey: string): Promise<boolean> {
    const held = await this.services.store.listOrders({ crawler: this.crawler, hostKey, state: 'held' }, undefined, 1);
    return held.length > 0;
  }

  /**
   * To be called when hosts have been taken over from another node, which may have deleted documents: the ledger is
   * read again before the next deletion.
   */
  forget(): void {
    this.guard = new DeletionGuard(this.settings);
    this.holding.clear();
    this.restored = undefined;
  }

  /** Deletions held, and those sent within the window before a restart, still count: they are read from the ledger. */
  private async restore(): Promise<void> {
    let last: number | undefined;
    for (let read = 0; read < RESTORED; read += PAGE) {
      const page = await this.services.store.listOrders({ crawler: this.crawler, state: 'held' }, last, PAGE);
      for (const { hostKey } of page) this.holding.add(hostKey);
      last = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    await this.restoreSent();
  }

  private async restoreSent(): Promise<void> {
    const since = before(this.services.clock.now(), this.settings.window);
    const times = new Map<string, Instant[]>();
    let last: number | undefined;
    for (let read = 0; read < RESTORED; ) {
      const page = await this.services.store.listOrders(
        { crawler: this.crawler, kind: 'delete', state: 'acknowledged' },
        last,
        PAGE,
      );
      for (const entry of page) if (entry.decidedAt >= since && entry.reason !== WITH_ITS_PAGE) addTime(times, entry);
      const oldest = page.at(-1);
      if (!oldest || oldest.decidedAt < since || page.length < PAGE) break;
      last = oldest.id;
      read += page.length;
    }
    for (const [hostKey, at] of times) this.guard.restore(hostKey, at);
  }
}

function addTime(times: Map<string, Instant[]>, entry: LedgerEntry): void {
  const list = times.get(entry.hostKey);
  if (list) list.push(entry.decidedAt);
  else times.set(entry.hostKey, [entry.decidedAt]);
}
