/**
 * Redirects of indexed pages. The document of the old address leaves once the target is in the index; until then, and
 * whatever fault the target shows, it stays. A redirect is checked in two steps: before its target is queued, other
 * pages of the host are looked at, since a host that is closed for a while sends all of them to one page; after that,
 * the target is visited. What a redirect waits for is kept in memory only: its page is visited again anyway.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { hasSameSketch } from '../../../domain/content/text-sketch.js';
import { isDirective } from '../../../domain/crawl/change-guard.js';
import { NOT_LINKED } from '../../../domain/crawl/disposition.js';
import {
  chooseNeighbors,
  classifyRedirect,
  FRESH,
  isHomePage,
  isRedirecting,
  judgeTarget,
  LOOK_SIZE,
  type RedirectKind,
  type SeenRedirect,
  SeenRedirects,
} from '../../../domain/crawl/redirects.js';
import { AWAITING_TARGET, REDIRECTED_FOR_NOW } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import type { LoginWalls } from '../../../domain/fetch/login-wall.js';
import { before, days, hours, type Instant, instant } from '../../../domain/time/units.js';
import { stripQuery } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlCatalog } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import type { Strangers } from '../hosts/strangers.js';
import type { SettledUrl } from '../outcome/decision.js';
import type { InDoubtDeliveries } from '../outcome/in-doubt-deliveries.js';
import {
  NewAddresses,
  NO_NEW_ADDRESS,
  NO_PAGE_OF_ITS_OWN,
  NOT_KNOWN_YET,
  PAGE_FOR_ALL,
  PAGE_IS_BACK,
} from './new-addresses.js';
import { type PageMoveServices, PageMoves } from './page-moves.js';

const MAX_WAITING = 20_000;
const MAX_CHAIN = 20;
/** Number of indexed pages of a host from which those to look at are chosen. */
const MAX_CANDIDATES = 200;
/** How long a page is known as the one to which a host redirects its pages. */
const WALL_LIFETIME = hours(1);
const fail = (code: ErrorCode, detail: string): PageOutcome => ({ kind: 'error', code, detail });
const failTarget = (detail: string): PageOutcome => fail('redirect-target-failed', detail);
/** Whether it was found by a redirect, and nothing is known to have been delivered. */
const isNewAddress = ({ stamp, discoveredVia }: UrlState): boolean => !stamp && discoveredVia === 'redirect';
type Redirect = Extract<PageOutcome, { kind: 'redirect' }>;
type DocumentOutcome = Extract<PageOutcome, { kind: 'document' }>;

interface RedirectServices extends PageMoveServices {
  readonly store: PageMoveServices['store'] & Pick<UrlCatalog, 'find' | 'list'>;
  readonly clock: Clock;
  readonly walls: Pick<LoginWalls, 'findEvidence'>;
  readonly processor: Pick<PageProcessor, 'forget'>;
  readonly strangers: Pick<Strangers, 'areNaming'>;
  readonly inDoubt: Pick<InDoubtDeliveries, 'applyDoubt'>;
  /** Visits the URL next; false if it is in flight. */
  readonly scheduleVisit: (state: UrlState) => Promise<boolean>;
  /** Visits the URL when its host has nothing else to do. */
  readonly scheduleRefresh: (state: UrlState) => Promise<boolean>;
}

export class Redirects {
  /** Redirects of indexed pages that have not led to a decision yet, by URL. */
  private readonly seen = new SeenRedirects();
  /** URLs of redirects that are waiting for a visit, by the URL to be visited. */
  private readonly waiting = new BoundedMap<string, Set<string>>(MAX_WAITING);
  /** URLs whose own visit was still in flight when what they were waiting for was visited. */
  private readonly missed = new BoundedMap<string, true>(MAX_WAITING);
  /** When pages that redirects were waiting for were visited: it is not written of those whose delivery is in doubt. */
  private readonly visits = new BoundedMap<string, Instant>(MAX_WAITING);
  /** URLs whose documents have given way to temporary redirects, and new addresses that are not believed, by key. */
  private readonly awaitingLink = new BoundedMap<bigint, string>(MAX_WAITING);
  /** Pages to which hosts redirect their pages, without query, and when that was last seen. */
  private readonly walls = new BoundedMap<string, Instant>(MAX_WAITING);

  private readonly newAddresses: NewAddresses;
  private readonly pageMoves: PageMoves;
  private readonly startedAt: Instant;

  constructor(
    private readonly crawler: string,
    private readonly services: RedirectServices,
  ) {
    this.newAddresses = new NewAddresses(services.clock, (url) => this.visitAgain(url));
    this.pageMoves = new PageMoves(crawler, services);
    this.startedAt = services.clock.now();
  }

  /**
   * To be called with the result of a visit before its links are stored. The links of a redirect that may lead to a page
   * for everybody are dropped. A page whose delivery is in doubt counts as indexed.
   * @param startedAt when the visit began
   */
  async look(stored: UrlState, result: PageResult, startedAt: Instant): Promise<PageResult> {
    const state = this.services.inDoubt.applyDoubt(stored);
    const { outcome } = result;
    if (outcome.kind !== 'redirect' || state.stamp === undefined) {
      const target = this.seen.get(state.url)?.target;
      this.seen.delete(state.url);
      if (outcome.kind === 'document' || outcome.kind === 'unchanged') this.newAddresses.forget(state, target);
      const isTarget = isNewAddress(state) && outcome.kind === 'document';
      const isWall = isTarget && this.isWall(stripQuery(state.url), this.services.clock.now());
      const failure = isTarget && ((await this.findFault(state, outcome)) ?? (isWall && PAGE_FOR_ALL));
      if (isTarget && failure !== NOT_KNOWN_YET) this.newAddresses.noteDecided(state.url);
      return failure ? this.drop(result, failure) : result;
    }
    if (outcome.waits) return result;
    const { target } = outcome;
    const earlier = this.seen.get(state.url);
    const seen = this.seen.note(state.url, target, startedAt);
    // Addresses that are made up for each request have no end, and none of them is the page's new one.
    const isNew = earlier?.target !== target && !(await this.services.store.find(this.crawler, target));
    if (isNew && earlier)
      return this.drop(result, failTarget(`it redirects to ${target}, and led elsewhere at its last visit`));
    seen.kind = await this.classify(state, outcome, seen);
    if (isNew && !outcome.permanent && seen.kind === 'alone') {
      seen.kind = 'look';
      this.missed.set(state.url, true);
    }
    if (seen.kind === 'look') return this.drop(result, { ...outcome, waits: true });
    const place = stripQuery(target);
    if (seen.kind === 'wall') {
      const failure = fail('redirect-wall', `the host sends its pages to ${place}`);
      const wasVisited = this.isWall(place, startedAt);
      this.walls.set(place, startedAt);
      // The page may be one that sets a cookie and sends its visitors back: it is visited, but never indexed.
      return wasVisited ? this.drop(result, failure) : { ...result, outcome: failure };
    }
    if (!outcome.permanent && (seen.kind === 'shared' || (isHomePage(target) && !isHomePage(state.url))))
      return this.drop(result, failTarget(`the temporary redirect to ${place} names no address of this page alone`));
    return result;
  }

  /** To be called when the links of the visit are stored: decides what the redirect means for the document. */
  async judge(stored: UrlState, result: PageResult): Promise<PageResult> {
    const state = this.services.inDoubt.applyDoubt(stored);
    const { outcome } = result;
    if (outcome.kind !== 'redirect' || state.stamp === undefined || outcome.waits || outcome.refused) return result;
    return { ...result, outcome: await this.judgeTarget(state, outcome) };
  }

  /** Whether there are URLs that are requested again when they are linked. */
  get areAwaitingLinks(): boolean {
    return this.awaitingLink.size > 0;
  }

  /**
   * To be called with the links of a live page: temporary redirects of its site among them are requested again, and so are
   * new addresses that are not believed, since not only redirects lead to them.
   */
  async noteLinked(page: string, keys: readonly bigint[]): Promise<void> {
    const { store, clock, scheduleVisit } = this.services;
    for (const key of keys) {
      const url = this.awaitingLink.get(key);
      const state = url === undefined ? undefined : await store.find(this.crawler, url);
      const isDue = state?.reason === REDIRECTED_FOR_NOW && (state.lastVisitAt ?? 0) < before(clock.now(), FRESH);
      const isRefused = state?.reason === 'redirect-wall';
      if (!(isDue || isRefused) || (await this.isStranger(page, state.url))) continue;
      if ((await scheduleVisit(state)) && isRefused) this.newAddresses.noteLinked(state.url);
    }
  }

  private async scheduleTarget(source: UrlState, target: UrlState): Promise<void> {
    const { clock, scheduleRefresh, scheduleVisit } = this.services;
    if (!(await this.isStranger(source.url, target.url))) await scheduleVisit(target);
    else if (target.dueAt > clock.now()) await scheduleRefresh(target);
  }

  /** Whether the first page belongs to another registrable domain than the second one, whose turn it must not take. */
  private async isStranger(page: string, url: string): Promise<boolean> {
    return this.services.strangers.areNaming({ url, foundOn: page, discoveredVia: 'redirect' });
  }

  /** To be called when a visit is settled: redirects may have been waiting for it. */
  async noteSettled(settled: UrlState, { reason, removed }: Partial<SettledUrl>): Promise<void> {
    const { url } = settled;
    // It has no error of its own, and will be believed or refused once more is known.
    const isDoubted = reason === 'redirect-wall' && this.newAddresses.isDoubted(url);
    if (this.missed.delete(url) && (isDoubted || reason === AWAITING_TARGET))
      await this.services.scheduleVisit(settled);
    const isRefused =
      reason === 'redirect-wall' && !removed && isNewAddress(settled) && this.newAddresses.isLinked(url) === undefined;
    if (reason === REDIRECTED_FOR_NOW || isRefused) this.awaitingLink.set(computeUrlKey(url), url);
    else if ((removed || reason !== undefined) && this.awaitingLink.size > 0)
      this.awaitingLink.delete(computeUrlKey(url));
    if (settled.stamp === undefined && reason === 'indexed') await this.visitFailedSource(settled);
    const sources = this.waiting.size > 0 ? this.waiting.get(url) : undefined;
    if (!sources) return;
    this.waiting.delete(url);
    this.visits.set(url, this.services.clock.now());
    for (const source of sources) {
      if (isDoubted && source !== url) {
        this.waitFor(url, source);
        continue;
      }
      const state = await this.services.store.find(this.crawler, source);
      const isTarget = state?.reason === 'redirect-wall' && state.stamp === undefined;
      const isWaiting =
        isTarget || state?.reason === AWAITING_TARGET || (state?.status === 'redirected' && source === url);
      const isScheduled = isWaiting && (await this.services.scheduleVisit(state));
      if (state && !isScheduled && source !== url) this.missed.set(source, true);
    }
  }

  /** Visits the page again that redirects to a new document, if its redirect has failed before. */
  private async visitFailedSource({ discoveredVia, foundOn }: UrlState): Promise<void> {
    if (discoveredVia !== 'redirect' || foundOn === undefined) return;
    const source = await this.services.store.find(this.crawler, foundOn);
    if (source?.reason === 'redirect-target-failed') await this.services.scheduleVisit(source);
  }

  /** Visits a URL again because its redirect may have ended. */
  async visitAgain(url: string): Promise<void> {
    // Its visit may be in flight, and be over before its state is read.
    this.waitFor(url, url);
    const state = await this.services.store.find(this.crawler, url);
    const isVisited = state?.status === 'redirected' || state?.status === 'error';
    if (!state || (isVisited && (await this.services.scheduleVisit(state)))) this.waiting.get(url)?.delete(url);
  }

  /** Visits a page, and then the source of a redirect again, which depends on it. */
  async waitForVisit(page: UrlState, source: string): Promise<void> {
    this.waitFor(page.url, source);
    await this.services.scheduleVisit(page);
  }

  /**
   * Why the page, to which another one redirected, is not its new address: it reports an outage, and the site has documents, but
   * too few to show whether all lead there; it says what the new addresses of other pages say; or the other one is back.
   */
  private async findFault(state: UrlState, outcome: DocumentOutcome): Promise<PageOutcome | undefined> {
    const { url, foundOn, stamp: own } = state;
    const { store, inDoubt } = this.services;
    const stored = foundOn === undefined ? undefined : await store.find(this.crawler, foundOn);
    const source = stored && inDoubt.applyDoubt(stored);
    const { sample, textSketch: text } = outcome.facts;
    // If it were forgotten, its source would request it again at once, without end.
    if ((source?.stamp !== undefined || source?.discoveredVia === 'redirect') && outcome.reason === NOT_LINKED)
      return NO_PAGE_OF_ITS_OWN;
    if (!source || !sample || !outcome.index) return undefined;
    const { stamp, textSketch: indexed, hostKey } = source;
    // Where the pages of the host lead now is not known, after a restart for example: that is found out first.
    const isLinked = this.newAddresses.isLinked(url);
    if (stamp !== undefined && !this.isLookedAt(source)) {
      this.newAddresses.noteUnknown(url);
      await this.waitForVisit(source, url);
      return NOT_KNOWN_YET;
    }
    const isBack = stamp !== undefined && source.status !== 'error' && !this.seen.get(source.url);
    if (isBack && own === undefined && !isLinked && !this.seen.leadTo(url)) return PAGE_IS_BACK;
    const textForAll = await this.newAddresses.findTextForAll(url, sample, source);
    if (textForAll) return textForAll;
    if (!sample.namesOutage || (indexed !== undefined && text !== undefined && hasSameSketch(indexed, text)))
      return undefined;
    const documents = await store.list({ crawler: this.crawler, hostKey, indexed: true }, 0, LOOK_SIZE + 1);
    return documents.length > 0 && documents.length <= LOOK_SIZE ? NO_NEW_ADDRESS : undefined;
  }

  /**
   * Whether it is known where the page leads now: this process has seen where its host redirects, although its visit may not
   * be written yet, or has just found it well.
   */
  private isLookedAt(source: UrlState): boolean {
    const now = this.services.clock.now();
    const seen = this.seen.get(source.url);
    if (seen) return seen.kind !== 'look' && seen.since >= before(now, WALL_LIFETIME);
    const visitedAt = Math.max(source.lastVisitAt ?? 0, this.visits.get(source.url) ?? 0);
    return !isRedirecting(source) && visitedAt >= before(now, FRESH) && visitedAt >= this.startedAt;
  }

  private isWall(place: string, now: Instant): boolean {
    return (this.walls.get(place) ?? 0) >= before(now, WALL_LIFETIME);
  }

  private async classify(state: UrlState, { target, refused }: Redirect, seen: SeenRedirect): Promise<RedirectKind> {
    const { hostKey, url } = state;
    const now = this.services.clock.now();
    const evidence = this.services.walls.findEvidence({ hostKey, from: url, target, now }, seen);
    const isDeparture = evidence.targets >= Math.max(1, Math.min(LOOK_SIZE, evidence.others));
    if (isDeparture && refused === undefined) {
      this.newAddresses.noteDeparture(hostKey);
      await this.pageMoves.noteDeparture(state, target);
    }
    if (classifyRedirect(evidence, 1) !== 'look') return classifyRedirect(evidence, 1);
    const pages = await this.findOthers(state, target);
    for (const page of pages) {
      this.waitFor(page.url, url);
      await this.services.scheduleVisit(page);
    }
    return classifyRedirect(evidence, pages.length);
  }

  /** Indexed pages of the host that have not been visited since the redirect was seen: its neighbours, to begin with. */
  private async findOthers({ id, url, hostKey }: UrlState, target: string): Promise<UrlState[]> {
    const { since } = this.seen.get(url)!;
    const filter = { crawler: this.crawler, hostKey, indexed: true } as const;
    const from = Math.max(0, id - MAX_CANDIDATES);
    const near = await this.services.store.list(filter, from, MAX_CANDIDATES);
    const pages = near.length > LOOK_SIZE ? near : await this.services.store.list(filter, 0, MAX_CANDIDATES);
    const unseen = pages.filter(({ lastVisitAt }) => lastVisitAt === undefined || lastVisitAt < since);
    return chooseNeighbors(
      id,
      unseen.filter((page) => page.url !== target),
    );
  }

  private async judgeTarget(state: UrlState, outcome: Redirect): Promise<PageOutcome> {
    const { store, clock } = this.services;
    const { target } = outcome;
    // A page that has been waiting for the same target knows what was found there since, however long that took.
    const isAwaited = state.reason === AWAITING_TARGET && state.canonical === target;
    const fresh = before(clock.now(), isAwaited ? days(1) : FRESH);
    const since = state.lastVisitAt !== undefined && state.lastVisitAt > fresh ? state.lastVisitAt : fresh;
    const end = await this.findEnd(state, target, fresh);
    if (end === 'loop') return failTarget(`it redirects to ${target}, which leads back to it`);
    const verdict = judgeTarget(state, end, since);
    switch (verdict.kind) {
      case 'unknown': {
        const awaited = await store.find(this.crawler, end?.url ?? target);
        if (awaited) {
          this.waitFor(awaited.url, state.url);
          if (awaited.status !== 'waiting') await this.scheduleTarget(state, awaited);
        }
        return { ...outcome, waits: true };
      }
      case 'gone':
        await this.pageMoves.noteNowhere(state);
        return fail('redirect-target-gone', `it redirects to ${target}, which does not exist`);
      case 'failed':
        if (verdict.reason === 'redirect-wall' && end && this.newAddresses.isDoubted(end.url)) {
          this.waitFor(end.url, state.url);
          return { ...outcome, waits: true };
        }
        return failTarget(`it redirects to ${target}, which failed: ${verdict.reason}`);
      case 'no-document':
        if (this.newAddresses.isInDoubt(state))
          return failTarget(`it redirects to ${target}, which is not for the index, as other pages do`);
        // A page that is closed for a while is not gone; one that stays so is given up in the end.
        return !outcome.permanent && end && isDirective(end.reason)
          ? failTarget(`it redirects for a while to ${target}, which is not for the index`)
          : outcome;
      case 'there':
        return this.leave(state, outcome);
    }
  }

  /** The target is in the index. */
  private leave({ url }: UrlState, outcome: Redirect): PageOutcome {
    const kind = this.seen.get(url)?.kind;
    this.seen.delete(url);
    if (isHomePage(outcome.target) && !isHomePage(url))
      return fail('redirect-to-home', `it is permanently redirected to the home page ${outcome.target}`);
    return { ...outcome, proven: kind === 'alone' };
  }

  /** Follows a chain of redirects to its end, or to the first one that has not been seen recently: it may have ended. */
  private async findEnd({ url }: UrlState, target: string, since: Instant): Promise<UrlState | undefined | 'loop'> {
    let current = await this.find(target);
    for (let steps = 0; current?.status === 'redirected' && current.canonical !== undefined; steps++) {
      if ((current.lastVisitAt ?? 0) < since) return current;
      if (steps >= MAX_CHAIN || current.canonical === url || current.canonical === target) return 'loop';
      const next: UrlState | undefined = await this.find(current.canonical);
      if (!next) return current;
      current = next;
    }
    return current;
  }

  private async find(url: string): Promise<UrlState | undefined> {
    const state = await this.services.store.find(this.crawler, url);
    const lastVisitAt = instant(Math.max(state?.lastVisitAt ?? 0, this.visits.get(url) ?? 0));
    return state && { ...state, lastVisitAt };
  }

  private waitFor(url: string, source: string): void {
    const sources = this.waiting.get(url) ?? new Set();
    if (sources.size < MAX_WAITING) sources.add(source);
    this.waiting.set(url, sources);
  }

  private drop(result: PageResult, outcome: PageOutcome): PageResult {
    const urls = result.links.map((link) => link.url);
    if (urls.length > 0) this.services.processor.forget(result.crawler, urls);
    return { ...result, outcome, links: [], refused: [] };
  }
}
