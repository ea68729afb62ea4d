/**
 * Passes deletions decided by visits through their crawler's guard: a host that fails, or loses many documents at once,
 * may merely have an outage. Deletions decided by an operator (clear, a configuration change, a release) bypass it.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { DeletionGuardDefinition } from '../../../domain/crawl/definition.js';
import { GIVEN_UP } from '../../../domain/crawl/disposition.js';
import { REDIRECT_TROUBLE } from '../../../domain/crawl/redirects.js';
import { AWAITING_TARGET } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { DeletionGuard } from '../../../domain/push/deletion-guard.js';
import { needsEarlyLook } from '../../../domain/push/early-look.js';
import { skipOrderBlock } from '../../../domain/push/order.js';
import { WITH_ITS_PAGE } from '../../../domain/push/parts.js';
import { isPageGone, isServerFault } from '../../../domain/push/sign-of-life.js';
import { after, before, hours, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../../ports/frontier-store.js';
import type { HostTroubles, Wait, WantedDeletion } from '../evidence/host-trouble.js';

const MAX_RESTORED = 100_000;
const PAGE_SIZE = 1_000;

/**
 * Number of documents that a host too small for the guard's limits may lose to errors while none of its pages responds
 * normally.
 */
const MAX_FAILURES = 3;
/** How often a page is visited whose deletion waits because others of its host fail alike, in redirects or otherwise. */
const ALIKE_RECHECK = hours(1);
const MAX_HOSTS = 10_000;

/** `hold`: until an operator decides. */
export type GuardVerdict = 'send' | 'hold' | Wait;

export interface DeletionServices {
  readonly store: Pick<FrontierStore, 'countIndexedOfHost' | 'list' | 'listOrders'>;
  readonly clock: Clock;
  readonly troubles: HostTroubles;
}

export class Deletions {
  private guard: DeletionGuard;
  private restoring: Promise<void> | undefined;
  /**
   * Hosts with deletions that are waiting for an operator: until a decision, no more are sent, however slowly they
   * arrive.
   */
  private readonly holdingHosts = new Set<string>();
  /** Documents lost to errors since the host's last sign of life, and when the first of them was lost. */
  private readonly failures = new BoundedMap<string, { readonly count: number; readonly since: Instant }>(MAX_HOSTS);

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
    this.restoring ??= this.restore().catch((error: unknown) => {
      this.restoring = undefined;
      throw error;
    });
    await this.restoring;
    if (await this.leadsNowhereWithOthers(deletion)) return this.waitForOthers();
    const needsSign = isFault || (await this.needsSignForGone(deletion));
    const faultVerdict = needsSign ? await this.services.troubles.judgeFault(deletion, settings) : 'pass';
    if (faultVerdict !== 'pass') return faultVerdict;
    if (isFault && (await this.failsWithOthers(deletion))) return this.waitForOthers();
    const verdict = await this.checkLimits(deletion);
    if (verdict === 'hold') this.holdingHosts.add(deletion.state.hostKey);
    return verdict;
  }

  /**
   * Whether a page that is gone is deleted only if another page of its host is well: the host may be another server,
   * which has none of them. On a large host, the early look at other pages decides, unless one has a wrong text.
   */
  private async needsSignForGone({ state: { hostKey }, reason }: WantedDeletion): Promise<boolean> {
    const { settings, services } = this;
    // No server sends 410 by mistake.
    if (!isPageGone(reason) || reason === 'http-410' || !settings.signOfLife) return false;
    if (await services.troubles.isInDoubt(hostKey)) return true;
    const indexed = await services.store.countIndexedOfHost(this.crawler, hostKey);
    return indexed > 1 && !needsEarlyLook(indexed, settings);
  }

  /** Redirects that lead nowhere are the host's fault, not that of one page, as long as several of its pages have them. */
  private async leadsNowhereWithOthers({ state, reason, fault }: WantedDeletion): Promise<boolean> {
    if (reason !== GIVEN_UP || fault === undefined || !REDIRECT_TROUBLE.includes(fault)) return false;
    return this.hasOthersWith(state, [...REDIRECT_TROUBLE, AWAITING_TARGET]);
  }

  /** Half of a site may depend on a part of the server that fails, for a day at most. */
  private async failsWithOthers({ state, fault, waitingSince }: WantedDeletion): Promise<boolean> {
    const now = this.services.clock.now();
    if (fault === undefined || now >= after(waitingSince ?? now, this.settings.signOfLifeWait)) return false;
    return this.hasOthersWith(state, [fault]);
  }

  /** Whether other indexed pages of the host have one of these reasons, or were given up. */
  private async hasOthersWith({ id, hostKey }: UrlState, reasons: readonly string[]): Promise<boolean> {
    const filter = { crawler: this.crawler, hostKey, indexed: true, reasons: [...reasons, GIVEN_UP] };
    const pages = await this.services.store.list(filter, 0, 2);
    return pages.some((page) => page.id !== id);
  }

  private waitForOthers(): Wait {
    return { wait: 'awaiting-other-pages', until: after(this.services.clock.now(), ALIKE_RECHECK) };
  }

  private async checkLimits(deletion: WantedDeletion): Promise<GuardVerdict> {
    const { store, troubles, clock } = this.services;
    const { hostKey } = deletion.state;
    if (this.holdingHosts.has(hostKey) && (await this.hasHeldDeletions(hostKey))) return 'hold';
    this.holdingHosts.delete(hostKey);
    const indexed = await store.countIndexedOfHost(this.crawler, hostKey);
    if (isPageGone(deletion.reason)) {
      const lookVerdict = await troubles.judgeGone(deletion, indexed, this.settings);
      if (lookVerdict !== 'pass') return lookVerdict;
    }
    if (isServerFault(deletion.reason) && this.recordFailure(hostKey, indexed)) return 'hold';
    return this.guard.judge(hostKey, indexed + (deletion.partCount ?? 0), clock.now());
  }

  /**
   * Records the loss of a document to errors; returns true if the host has lost so many without a sign of life that the
   * fault must be its own.
   */
  private recordFailure(hostKey: string, indexed: number): boolean {
    const now = this.services.clock.now();
    const previous = this.failures.get(hostKey) ?? { count: 0, since: now };
    const lastSign = this.services.troubles.findLastSignOfLife(hostKey);
    const { count, since } = lastSign !== undefined && lastSign >= previous.since ? { count: 0, since: now } : previous;
    this.failures.set(hostKey, { count: count + 1, since });
    return count + 1 > this.getMaxFailures(indexed + count);
  }

  private getMaxFailures(documents: number): number {
    const { maxDeletions, maxShare } = this.settings;
    return documents <= maxDeletions ? MAX_FAILURES : Math.max(maxDeletions, maxShare * documents);
  }

  private async hasHeldDeletions(hostKey: string): Promise<boolean> {
    const heldOrders = await this.services.store.listOrders(
      { crawler: this.crawler, hostKey, state: 'held' },
      undefined,
      1,
    );
    return heldOrders.length > 0;
  }

  /**
   * To be called when hosts have been taken over from another node, which may have deleted documents: the ledger is
   * read again before the next deletion.
   */
  reset(): void {
    this.guard = new DeletionGuard(this.settings);
    this.holdingHosts.clear();
    this.restoring = undefined;
  }

  /**
   * Reads held deletions, and those sent within the window before a restart, from the ledger, because they still count
   * towards the limits.
   */
  private async restore(): Promise<void> {
    let last: number | undefined;
    for (let readCount = 0; readCount < MAX_RESTORED; readCount += PAGE_SIZE) {
      const page = await this.services.store.listOrders({ crawler: this.crawler, state: 'held' }, last, PAGE_SIZE);
      for (const { hostKey } of page) this.holdingHosts.add(hostKey);
      last = page.at(-1)?.id;
      if (page.length < PAGE_SIZE) break;
    }
    await this.restoreSent();
  }

  private async restoreSent(): Promise<void> {
    const since = before(this.services.clock.now(), this.settings.window);
    const times = new Map<string, Instant[]>();
    let last: number | undefined;
    for (let readCount = 0; readCount < MAX_RESTORED; ) {
      const page = await this.services.store.listOrders(
        { crawler: this.crawler, kind: 'delete', state: 'acknowledged' },
        last,
        PAGE_SIZE,
      );
      for (const entry of page) if (entry.decidedAt >= since && entry.reason !== WITH_ITS_PAGE) addTime(times, entry);
      if (page.length < PAGE_SIZE) break;
      const { id, decidedAt } = page.at(-1)!;
      last = decidedAt < since ? skipOrderBlock(id) : id;
      readCount += page.length;
    }
    for (const [hostKey, sentTimes] of times) this.guard.restore(hostKey, sentTimes);
  }
}

function addTime(times: Map<string, Instant[]>, entry: LedgerEntry): void {
  const list = times.get(entry.hostKey);
  if (list) list.push(entry.decidedAt);
  else times.set(entry.hostKey, [entry.decidedAt]);
}
