/**
 * Hosts with deletions that are waiting for a sign of life after a server fault, or for an early check of other pages.
 * This module requests the visits that lead to a decision; domain/push/sign-of-life.ts and early-look.ts decide. Nothing
 * is lost in a restart: waiting deletions are in the ledger, and their pages are visited again anyway.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { DeletionGuardDefinition } from '../../../domain/crawl/definition.js';
import { AWAITING_TARGET } from '../../../domain/crawl/revisit.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import { EarlyLook, LOOK_VALIDITY, needsEarlyLook } from '../../../domain/push/early-look.js';
import {
  computeRecheckTime,
  isSignOfLife,
  judgeFaultDeletion,
  type SignSearch,
  shouldSearch,
  type VisitResult,
} from '../../../domain/push/sign-of-life.js';
import { after, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../../ports/frontier-store.js';
import type { SettledUrl } from '../outcome/decision.js';

const PAGE_SIZE = 1_000;
const MAX_HOSTS = 10_000;
const MAX_UNWRITTEN = 10_000;
/** Number of pages visited to find a sign of life. */
const SIGN_SAMPLE = 3;
/** Number of pages from which a sample is taken. */
const MAX_CANDIDATES = 100;
/** Why the deletion of a page waits that fails like others of a host that is well: they are visited from time to time. */
const AWAITING_OTHERS = 'awaiting-other-pages';
const WRONG_TEXTS: readonly ErrorCode[] = ['one-page-everywhere', 'emptied'];

/** Why a deletion is waiting, and the latest time at which its page is visited again. */
export interface Wait {
  readonly wait: 'awaiting-sign-of-life' | 'awaiting-early-look' | typeof AWAITING_OTHERS;
  readonly until: Instant;
}

/** A deletion requested at the end of a visit. */
export interface WantedDeletion {
  readonly state: UrlState;
  readonly reason: Reason;
  /** How the visit ended; absent if there was none. */
  readonly fault?: string;
  /** When the visit began. */
  readonly startedAt: Instant;
  /** Since when the deletion has been waiting for a sign of life. */
  readonly waitingSince: Instant | undefined;
  /** Number of documents that were split off the page; absent if none. */
  readonly partCount?: number;
}

/** What the end of a visit says about its host. */
export interface HostResponse extends VisitResult {
  readonly id: UrlId;
  readonly hostKey: string;
  /** Error code if the visit failed. */
  readonly code: ErrorCode | undefined;
  /** Whether the page is visited again once it is known whether its redirect leads anywhere. */
  readonly waits: boolean;
}

/** A host with deletions that are waiting. */
interface Trouble {
  /** When the oldest deletion began to wait. */
  since: Instant;
  /** When the visit that got the last good response began. */
  lastSign?: Instant;
  search: SignSearch;
  /** `released`: the waiting pages have been requested, and no deletion has begun, or gone on, to wait since. */
  deletions: 'waiting' | 'released';
  look?: EarlyLook;
}

/** A page whose deletion is to wait but is not in the ledger yet. */
interface UnwrittenWait {
  readonly hostKey: string;
  /** True if the host's waiting pages have been released since: that release has missed this page. */
  missedRelease: boolean;
}

interface TroubleServices {
  readonly store: Pick<FrontierStore, 'list' | 'listOrders' | 'find'>;
  readonly clock: Clock;
  /** Visits the URL next; false if it is in flight. */
  readonly scheduleVisit: (state: UrlState) => Promise<boolean>;
}

export class HostTroubles {
  private readonly hosts = new BoundedMap<string, Trouble>(MAX_HOSTS);
  /** The page of each host whose text was last not believed; undefined: none. Not set: the store knows. */
  private readonly doubted = new BoundedMap<string, UrlId | undefined>(MAX_HOSTS);
  private restoring: Promise<void> | undefined;
  private readonly unwritten = new BoundedMap<UrlId, UnwrittenWait>(MAX_UNWRITTEN);
  /** URLs of released pages that have not been visited yet; a further release need not request them again. */
  private readonly releasedUrls = new Set<string>();

  constructor(
    private readonly crawler: string,
    private readonly services: TroubleServices,
  ) {}

  /** Must be called at the end of every visit, before its disposition. */
  async noteResponse(response: HostResponse): Promise<void> {
    const { id, hostKey, code } = response;
    if (code !== undefined && WRONG_TEXTS.includes(code)) this.doubted.set(hostKey, id);
    else if (this.doubted.get(hostKey) === id) this.doubted.delete(hostKey);
    await this.restore();
    const trouble = this.hosts.get(hostKey);
    if (!trouble) return;
    if (!response.waits && trouble.look?.recordResult(id, code))
      await this.continueLook(hostKey, trouble, trouble.look);
    if (!isSignOfLife(response, trouble.since)) return;
    if (trouble.lastSign === undefined || response.startedAt > trouble.lastSign) trouble.lastSign = response.startedAt;
    if (trouble.deletions === 'waiting') await this.release(hostKey, trouble);
  }

  /**
   * To be called when a page's visit is settled: a release that came before its waiting deletion was in the ledger has
   * missed it.
   */
  noteSettled(state: UrlState, { reason }: Pick<SettledUrl, 'reason'>): Promise<void> | undefined {
    if (this.hosts.size === 0 && this.unwritten.size === 0 && this.releasedUrls.size === 0) return undefined;
    this.releasedUrls.delete(state.url);
    return this.reviewWait(state, reason);
  }

  private async reviewWait(state: UrlState, reason: Reason | undefined): Promise<void> {
    const trouble = this.hosts.get(state.hostKey);
    const wait = this.unwritten.get(state.id);
    if (trouble?.search.state === 'blocked' && trouble.deletions === 'waiting')
      await this.searchForSign(state, trouble, trouble.search.at);
    // It was in flight, and past its response, when the look chose it.
    if (reason !== AWAITING_TARGET && trouble?.look?.isAwaiting(state.id)) await this.services.scheduleVisit(state);
    // The page may have been visited again in the meantime.
    if (this.unwritten.get(state.id) === wait) this.unwritten.delete(state.id);
    if (!wait || (trouble && !wait.missedRelease)) return;
    const storedState = await this.services.store.find(this.crawler, state.url);
    if (storedState?.pendingDeletion !== undefined) await this.visitReleased(storedState);
  }

  /** Returns when the visit that got the last good response began, if deletions of the host are waiting. */
  findLastSignOfLife(hostKey: string): Instant | undefined {
    return this.hosts.get(hostKey)?.lastSign;
  }

  /**
   * Whether a page of the host has a text that the change guard does not believe: the host may be another server, which
   * has none of the other pages.
   */
  async isInDoubt(hostKey: string): Promise<boolean> {
    if (!this.doubted.has(hostKey)) {
      const filter = { crawler: this.crawler, hostKey, indexed: true, reasons: WRONG_TEXTS };
      const [page] = await this.services.store.list(filter, 0, 1);
      if (!this.doubted.has(hostKey)) this.doubted.set(hostKey, page?.id);
    }
    return this.doubted.get(hostKey) !== undefined;
  }

  /** Decides on a deletion that results from a server fault. */
  async judgeFault(deletion: WantedDeletion, settings: DeletionGuardDefinition): Promise<Wait | 'pass'> {
    await this.restore();
    const { state, startedAt, waitingSince } = deletion;
    const now = this.services.clock.now();
    const lastSign = this.hosts.get(state.hostKey)?.lastSign;
    if (judgeFaultDeletion({ waitingSince, lastSign, startedAt, now }, settings) === 'pass') return 'pass';
    const trouble = this.findOrCreateTrouble(state.hostKey, waitingSince);
    this.noteWaiting(state, trouble);
    if (shouldSearch(trouble.search, lastSign, now)) await this.searchForSign(state, trouble, now);
    return { wait: 'awaiting-sign-of-life', until: computeRecheckTime(waitingSince ?? now, now, settings) };
  }

  /** Decides on the deletion of a page that is gone, on a host with this many documents. */
  async judgeGone(
    { state }: WantedDeletion,
    documents: number,
    settings: DeletionGuardDefinition,
  ): Promise<Wait | 'pass' | 'hold'> {
    if (!needsEarlyLook(documents, settings)) return 'pass';
    const now = this.services.clock.now();
    const trouble = this.findOrCreateTrouble(state.hostKey, undefined);
    this.noteWaiting(state, trouble);
    if (!trouble.look?.addVanished(state.id, now)) {
      trouble.look = new EarlyLook(settings, documents, now);
      trouble.look.addVanished(state.id, now);
    }
    const { look } = trouble;
    look.endIfOverdue(now);
    if (!look.verdict) await this.continueLook(state.hostKey, trouble, look);
    if (look.verdict) {
      this.unwritten.delete(state.id);
      return look.verdict === 'clear' ? 'pass' : 'hold';
    }
    return { wait: 'awaiting-early-look', until: after(now, LOOK_VALIDITY) };
  }

  /** To be called when hosts have been taken over from another node, where deletions may have begun to wait. */
  reset(): void {
    this.restoring = undefined;
    this.doubted.clear();
    this.releasedUrls.clear();
  }

  private findOrCreateTrouble(hostKey: string, since: Instant | undefined): Trouble {
    const now = this.services.clock.now();
    const trouble = this.hosts.get(hostKey) ?? createTrouble(since ?? now);
    this.hosts.set(hostKey, trouble);
    return trouble;
  }

  /** To be called before the page's deletion is recorded as waiting: any release from now on must include it. */
  private noteWaiting({ id, hostKey }: UrlState, trouble: Trouble): void {
    trouble.deletions = 'waiting';
    this.unwritten.set(id, { hostKey, missedRelease: false });
  }

  /**
   * Visits some other pages of the host.
   * @param begunAt when the search began
   */
  private async searchForSign({ id, hostKey }: UrlState, trouble: Trouble, begunAt: Instant): Promise<void> {
    trouble.search = { state: 'begun', at: begunAt };
    const pages = sampleEvenly(await this.findCandidates(hostKey, ['indexed'], new Set([id])), SIGN_SAMPLE);
    let isRequested = false;
    for (const page of pages) if (await this.services.scheduleVisit(page)) isRequested = true;
    if (!isRequested && pages.length > 0) trouble.search = { state: 'blocked', at: begunAt };
  }

  private async findCandidates(
    hostKey: string,
    statuses: readonly UrlState['status'][],
    excluded: ReadonlySet<UrlId>,
  ): Promise<UrlState[]> {
    const candidates: UrlState[] = [];
    for (const status of statuses) {
      const filter = { crawler: this.crawler, hostKey, status, indexed: true } as const;
      candidates.push(...(await this.services.store.list(filter, 0, MAX_CANDIDATES)));
    }
    return candidates.filter(({ id }) => !excluded.has(id));
  }

  /** Continues the look once its results have arrived, until it ends. */
  private async continueLook(hostKey: string, trouble: Trouble, look: EarlyLook): Promise<void> {
    if (!look.beginChoosing()) return;
    try {
      while (look.needsStep) await this.takeStep(hostKey, look);
    } finally {
      look.stopChoosing();
    }
    if (look.verdict) await this.release(hostKey, trouble);
  }

  /** Neither pages in flight nor those with undecided redirects are passed over: pages that are gone stay in these states for longer. */
  private async takeStep(hostKey: string, look: EarlyLook): Promise<void> {
    const size = look.takeStep(this.services.clock.now());
    const candidates = size > 0 ? await this.findCandidates(hostKey, ['indexed', 'redirected'], look.knownIds) : [];
    const pages = sampleEvenly(candidates, size);
    for (const page of pages) {
      look.noteRequested(page.id);
      await this.services.scheduleVisit(page);
    }
    if (pages.length === 0) look.end(this.services.clock.now());
  }

  /** Visits the waiting pages now; each visit then decides on its own page. */
  private async release(hostKey: string, trouble: Trouble): Promise<void> {
    trouble.deletions = 'released';
    for (const wait of this.unwritten.values()) if (wait.hostKey === hostKey) wait.missedRelease = true;
    const { store } = this.services;
    let awaiting = 0;
    try {
      for await (const entry of this.readAwaiting(hostKey)) {
        if (entry.answer === AWAITING_OTHERS) continue;
        awaiting++;
        if (this.releasedUrls.has(entry.uri)) continue;
        const state = await store.find(this.crawler, entry.uri);
        if (state) await this.visitReleased(state);
      }
    } catch (error) {
      trouble.deletions = 'waiting';
      throw error;
    }
    if (awaiting === 0 && !trouble.look && this.unwritten.size === 0) this.hosts.delete(hostKey);
  }

  private async visitReleased(state: UrlState): Promise<void> {
    this.releasedUrls.add(state.url);
    if (!(await this.services.scheduleVisit(state))) this.releasedUrls.delete(state.url);
  }

  private restore(): Promise<void> {
    this.restoring ??= this.loadTroubles().catch((error: unknown) => {
      this.restoring = undefined;
      throw error;
    });
    return this.restoring;
  }

  private async loadTroubles(): Promise<void> {
    for await (const { hostKey, decidedAt } of this.readAwaiting()) {
      const trouble = this.hosts.get(hostKey);
      if (!trouble) this.hosts.set(hostKey, createTrouble(decidedAt));
      else if (decidedAt < trouble.since) trouble.since = decidedAt;
      if (this.hosts.size >= MAX_HOSTS) return;
    }
  }

  private async *readAwaiting(hostKey?: string): AsyncIterable<LedgerEntry> {
    let lastId: number | undefined;
    for (;;) {
      const filter = { crawler: this.crawler, hostKey, state: 'awaiting' } as const;
      const page = await this.services.store.listOrders(filter, lastId, PAGE_SIZE);
      yield* page;
      lastId = page.at(-1)?.id;
      if (page.length < PAGE_SIZE) return;
    }
  }
}

const createTrouble = (since: Instant): Trouble => ({ since, search: { state: 'not-begun' }, deletions: 'waiting' });

/** Picks `size` items, evenly spread, including the first one, which is often the home page. */
export const sampleEvenly = <T>(items: readonly T[], size: number): T[] =>
  items.length <= size
    ? [...items]
    : Array.from({ length: size }, (_, i) => items[Math.floor((i * items.length) / size)]!);
