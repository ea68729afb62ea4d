/**
 * Deletions that a visit decided go through the guard of their crawler: a host that loses many documents at once may only
 * be having a bad day. What a person decided (clear, a change of the configuration, a release) does not.
 */

import type { DeletionGuardDefinition } from '../../domain/crawl/definition.js';
import { GIVEN_UP } from '../../domain/crawl/disposition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { DeletionGuard } from '../../domain/push/deletion-guard.js';
import { before, type Instant } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../ports/frontier-store.js';

const RESTORED = 100_000;
const PAGE = 1_000;

/** Documents that a host too small for the limits of the guard may lose to errors while none of its pages answers. */
const MOST_FAILURES = 3;
const HOSTS = 10_000;

/** Whoever answers that a page is gone is well; any other error, also one that did not pass, may be one of the whole host. */
const speaksOfHost = (reason: string): boolean =>
  reason === GIVEN_UP ||
  (reason in ERROR_CODES && reason !== 'http-404' && reason !== 'http-410' && reason !== 'soft-error');

export class Deletions {
  private guard: DeletionGuard;
  private restored: Promise<void> | undefined;
  /** Hosts with deletions that wait for a person: until one has looked, no more are sent, however slowly they come. */
  private readonly holding = new Set<string>();
  /** Documents lost to errors since no page of the host has answered, and when the first one was. */
  private readonly failures = new Map<string, { readonly count: number; readonly since: Instant }>();

  constructor(
    private readonly crawler: string,
    settings: DeletionGuardDefinition,
    private readonly store: Pick<FrontierStore, 'indexedOfHost' | 'orders' | 'count'>,
    private readonly clock: Clock,
  ) {
    this.guard = new DeletionGuard(settings);
  }

  /** `reason` is why the document is to go. */
  async admit(state: UrlState, reason: string): Promise<'send' | 'hold'> {
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
    const failing = await this.isFailing(hostKey, reason, indexed);
    const verdict = failing ? 'hold' : this.guard.admit(hostKey, indexed, this.clock.now());
    if (verdict === 'hold') this.holding.add(hostKey);
    return verdict;
  }

  /** Has the host lost so many documents to errors, while none of its pages answered, that it must be the host itself? */
  private async isFailing(hostKey: string, reason: string, indexed: number): Promise<boolean> {
    if (!speaksOfHost(reason)) return false;
    const now = this.clock.now();
    let { count, since } = this.failures.get(hostKey) ?? { count: 0, since: now };
    const most = this.mostFailures(indexed + count);
    count++;
    if (count > most && (await this.hasAnswered(hostKey, since, now))) {
      count = 1;
      since = now;
    }
    this.failures.delete(hostKey);
    this.failures.set(hostKey, { count, since });
    if (this.failures.size > HOSTS) this.failures.delete(this.failures.keys().next().value as string);
    return count > most;
  }

  private mostFailures(documents: number): number {
    const { maxDeletions, maxShare } = this.guard.settings;
    return documents <= maxDeletions ? MOST_FAILURES : Math.max(maxDeletions, maxShare * documents);
  }

  /** Since then, and in any case within the window. */
  private async hasAnswered(hostKey: string, since: Instant, now: Instant): Promise<boolean> {
    const window = before(now, this.guard.settings.window);
    const visitedSince = since < window ? since : window;
    return (await this.store.count({ crawler: this.crawler, hostKey, status: 'indexed', visitedSince })) > 0;
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
