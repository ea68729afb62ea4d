/**
 * Hosts with deletions that are waiting for a sign of life after a server fault, or for an early check of other pages.
 * This module requests the visits that lead to a decision; domain/push/sign-of-life.ts and early-look.ts decide.
 * Nothing is lost in a restart: waiting deletions are in the ledger, and their pages are visited again anyway.
 */

import type { DeletionGuardDefinition } from '../../../domain/crawl/definition.js';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import {
  concludeLook,
  decideNextLookStep,
  LOOK_VALIDITY,
  needsEarlyLook,
  VANISHED_PER_LOOK,
} from '../../../domain/push/early-look.js';
import {
  computeRecheckTime,
  isPageGone,
  isSignOfLife,
  judgeFaultDeletion,
  type VisitResult,
} from '../../../domain/push/sign-of-life.js';
import { after, between, hours, type Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore, LedgerEntry } from '../../ports/frontier-store.js';

const PAGE_SIZE = 1_000;
const MAX_HOSTS = 10_000;
const MAX_UNWRITTEN = 10_000;
/** Number of pages visited to find a sign of life, and the interval between attempts while there is none. */
const SIGN_SAMPLE = 3;
const SIGN_INTERVAL = hours(1);
/** Number of pages from which a sample is taken, and maximum number of pages that a check visits in total. */
const MAX_CANDIDATES = 100;
const MAX_LOOKED_AT = 30;

/** Why a deletion is waiting, and the latest time at which its page is visited again. */
export interface Wait {
  readonly wait: 'awaiting-sign-of-life' | 'awaiting-early-look';
  readonly until: Instant;
}

/** A deletion requested at the end of a visit. */
export interface WantedDeletion {
  readonly state: UrlState;
  readonly reason: Reason;
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
}

interface Look {
  readonly startedAt: Instant;
  readonly settings: DeletionGuardDefinition;
  readonly documents: number;
  readonly vanished: Set<UrlId>;
  readonly requested: Set<UrlId>;
  /** Visits requested but not finished yet. */
  readonly outstanding: Set<UrlId>;
  /** True while a sample is being chosen; the call that chooses it continues once all results have arrived. */
  isAsking: boolean;
  looked: number;
  gone: number;
  /** Number of pages found gone after the check ended well. */
  goneAfterEnd: number;
  end?: { readonly verdict: 'clear' | 'hold'; readonly at: Instant };
}

interface Trouble {
  /** When the oldest deletion began to wait. */
  since: Instant;
  lastSign?: Instant;
  lastSample?: Instant;
  /** True if a deletion has begun to wait, or goes on waiting, since the last release. */
  hasNew: boolean;
  /**
   * True if all pages that could have brought a sign of life were in flight when one was sought: the next page to be
   * settled starts the search again.
   */
  foundNone: boolean;
  /** How often the waiting deletions have been released. */
  releases: number;
  look?: Look;
}

interface TroubleServices {
  readonly store: Pick<FrontierStore, 'list' | 'listOrders' | 'find'>;
  readonly clock: Clock;
  /** Visits the URL next; false if it is in flight. */
  readonly scheduleVisit: (state: UrlState) => Promise<boolean>;
}

export class HostTroubles {
  private readonly hosts = new Map<string, Trouble>();
  private restoring: Promise<void> | undefined;
  /**
   * Pages whose deletion is to wait but is not in the ledger yet, with the number of their host's releases up to then.
   */
  private readonly unwritten = new Map<UrlId, number>();
  /** URLs of released pages that have not been visited yet; a further release need not request them again. */
  private readonly releasedUrls = new Set<string>();

  constructor(
    private readonly crawler: string,
    private readonly services: TroubleServices,
  ) {}

  /** Must be called at the end of every visit, before its disposition. */
  async noteResponse(response: HostResponse): Promise<void> {
    await this.restore();
    const trouble = this.hosts.get(response.hostKey);
    if (!trouble) return;
    const { look } = trouble;
    if (look && !look.end && look.outstanding.delete(response.id)) await this.recordFinding(response, trouble, look);
    if (!isSignOfLife(response, trouble.since)) return;
    if (trouble.lastSign === undefined || response.startedAt > trouble.lastSign) trouble.lastSign = response.startedAt;
    if (trouble.hasNew) await this.release(response.hostKey, trouble);
  }

  /**
   * To be called when a page's visit is settled: a release that came before its waiting deletion was in the ledger has
   * missed it.
   */
  async noteSettled(state: UrlState): Promise<void> {
    this.releasedUrls.delete(state.url);
    const trouble = this.hosts.get(state.hostKey);
    const releases = this.unwritten.get(state.id);
    this.unwritten.delete(state.id);
    if (trouble?.foundNone && trouble.hasNew) await this.requestSignOfLife(state, trouble);
    if (releases === undefined) return;
    if (trouble && trouble.releases === releases) return;
    const storedState = await this.services.store.find(this.crawler, state.url);
    if (storedState?.pendingDeletion !== undefined) await this.visitReleased(storedState);
  }

  /** Returns when the visit that got the last good response began, if deletions of the host are waiting. */
  findLastSignOfLife(hostKey: string): Instant | undefined {
    return this.hosts.get(hostKey)?.lastSign;
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
    await this.seekSignOfLife(state, trouble);
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
    const look = findCurrentLook(trouble, state.id, now) ?? createLook(documents, settings, now);
    trouble.look = look;
    if (!look.requested.has(state.id)) look.vanished.add(state.id);
    if (!look.end && between(look.startedAt, now) >= LOOK_VALIDITY) endLook(look, now);
    else if (!look.end) await this.continueLook(state.hostKey, trouble, look);
    if (look.end) {
      this.unwritten.delete(state.id);
      return look.end.verdict === 'clear' ? 'pass' : 'hold';
    }
    return { wait: 'awaiting-early-look', until: after(now, LOOK_VALIDITY) };
  }

  /** To be called when hosts have been taken over from another node, where deletions may have begun to wait. */
  reset(): void {
    this.restoring = undefined;
    this.releasedUrls.clear();
  }

  private findOrCreateTrouble(hostKey: string, since: Instant | undefined): Trouble {
    const now = this.services.clock.now();
    const trouble = this.hosts.get(hostKey) ?? { since: since ?? now, hasNew: true, foundNone: false, releases: 0 };
    this.hosts.delete(hostKey);
    this.hosts.set(hostKey, trouble);
    if (this.hosts.size > MAX_HOSTS) this.hosts.delete(this.hosts.keys().next().value as string);
    return trouble;
  }

  /** To be called before the page's deletion is recorded as waiting: any release from now on must include it. */
  private noteWaiting({ id }: UrlState, trouble: Trouble): void {
    trouble.hasNew = true;
    this.unwritten.set(id, trouble.releases);
    if (this.unwritten.size > MAX_UNWRITTEN) this.unwritten.delete(this.unwritten.keys().next().value as UrlId);
  }

  /** Visits some other pages unless that was recently done in vain. */
  private async seekSignOfLife(state: UrlState, trouble: Trouble): Promise<void> {
    const now = this.services.clock.now();
    const { lastSample, lastSign } = trouble;
    const wasInVain = lastSample !== undefined && (lastSign === undefined || lastSign < lastSample);
    if (wasInVain && between(lastSample, now) < SIGN_INTERVAL) return;
    trouble.lastSample = now;
    await this.requestSignOfLife(state, trouble);
  }

  private async requestSignOfLife({ id, hostKey }: UrlState, trouble: Trouble): Promise<void> {
    const pages = await this.samplePages(hostKey, SIGN_SAMPLE, new Set([id]));
    let isRequested = false;
    for (const page of pages) if (await this.services.scheduleVisit(page)) isRequested = true;
    trouble.foundNone = !isRequested && pages.length > 0;
  }

  private async samplePages(hostKey: string, size: number, excluded: ReadonlySet<UrlId>): Promise<UrlState[]> {
    const filter = { crawler: this.crawler, hostKey, status: 'indexed' } as const;
    const candidates = await this.services.store.list(filter, 0, MAX_CANDIDATES);
    return sampleEvenly(
      candidates.filter(({ id }) => !excluded.has(id)),
      size,
    );
  }

  private async recordFinding({ code, hostKey }: HostResponse, trouble: Trouble, look: Look): Promise<void> {
    const isGone = code !== undefined && isPageGone(code);
    if (isGone || code === undefined) look.looked++;
    if (isGone) look.gone++;
    await this.continueLook(hostKey, trouble, look);
  }

  /** Continues the check once its results have arrived, until it ends. */
  private async continueLook(hostKey: string, trouble: Trouble, look: Look): Promise<void> {
    if (look.isAsking) return;
    look.isAsking = true;
    try {
      while (!look.end && look.outstanding.size === 0) await this.takeStep(hostKey, look);
    } finally {
      look.isAsking = false;
    }
    if (look.end) await this.release(hostKey, trouble);
  }

  private async takeStep(hostKey: string, look: Look): Promise<void> {
    const step = decideNextLookStep(toFindings(look), look.settings);
    if (typeof step === 'string') {
      look.end = { verdict: step, at: this.services.clock.now() };
      return;
    }
    const size = Math.min(MAX_LOOKED_AT - look.requested.size, step.visit);
    const pages = size > 0 ? await this.samplePages(hostKey, size, union(look.requested, look.vanished)) : [];
    let isRequested = false;
    for (const page of pages) if (await this.requestVisit(page, look)) isRequested = true;
    if (!isRequested) endLook(look, this.services.clock.now());
  }

  /** The visit may end before the call that requests it returns, so it is registered before it is requested. */
  private async requestVisit(page: UrlState, look: Look): Promise<boolean> {
    look.requested.add(page.id);
    look.outstanding.add(page.id);
    if (await this.services.scheduleVisit(page)) return true;
    look.requested.delete(page.id);
    look.outstanding.delete(page.id);
    return false;
  }

  /** Visits the waiting pages now; each visit then decides on its own page. */
  private async release(hostKey: string, trouble: Trouble): Promise<void> {
    trouble.hasNew = false;
    trouble.releases++;
    const { store } = this.services;
    let awaiting = 0;
    try {
      for await (const entry of this.readAwaiting(hostKey)) {
        awaiting++;
        if (this.releasedUrls.has(entry.uri)) continue;
        const state = await store.find(this.crawler, entry.uri);
        if (state) await this.visitReleased(state);
      }
    } catch (error) {
      trouble.hasNew = true;
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
      if (!trouble) this.hosts.set(hostKey, { since: decidedAt, hasNew: true, foundNone: false, releases: 0 });
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

/** The check that still applies to this page; undefined if a new one is needed. */
function findCurrentLook({ look }: Trouble, id: UrlId, now: Instant): Look | undefined {
  if (!look?.end) return look;
  const isFresh = between(look.end.at, now) < LOOK_VALIDITY;
  if (look.vanished.has(id) || look.requested.has(id)) return isFresh ? look : undefined;
  if (!isFresh || (look.end.verdict === 'clear' && look.goneAfterEnd >= VANISHED_PER_LOOK)) return undefined;
  look.goneAfterEnd++;
  return look;
}

const createLook = (documents: number, settings: DeletionGuardDefinition, startedAt: Instant): Look => ({
  startedAt,
  settings,
  documents,
  vanished: new Set(),
  requested: new Set(),
  outstanding: new Set(),
  isAsking: false,
  looked: 0,
  gone: 0,
  goneAfterEnd: 0,
});

/** Ends a check that cannot continue. */
function endLook(look: Look, now: Instant): void {
  look.end = { verdict: concludeLook(toFindings(look), look.settings), at: now };
}

const toFindings = ({ looked, gone, vanished, documents }: Look) => ({
  looked,
  gone,
  vanished: vanished.size,
  documents,
});

/** Picks `size` items, evenly spread, including the first one, which is often the home page. */
const sampleEvenly = <T>(items: readonly T[], size: number): T[] =>
  items.length <= size
    ? [...items]
    : Array.from({ length: size }, (_, i) => items[Math.floor((i * items.length) / size)]!);

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a, ...b]);
