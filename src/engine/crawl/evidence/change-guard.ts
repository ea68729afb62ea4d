/**
 * Asks the host before a suspicious change is believed: visits other indexed pages and requests a URL that cannot exist.
 * domain/crawl/change-guard.ts decides. Meanwhile, and while the change is held, the page's visits end with the cause as
 * their error. What is held is in the ledger; everything here may be lost in a restart, because held pages are visited
 * again and the host is then asked anew.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { isSuspicious, type TextSample } from '../../../domain/content/text-sample.js';
import { hasSameSketch, sharesAlmostNothing } from '../../../domain/content/text-sketch.js';
import { judgeCanonical } from '../../../domain/crawl/canonical.js';
import {
  type ChangeVerdict,
  computeCheckDelay,
  DOUBT,
  findDirective,
  type HostEvidence,
  hasNewFigures,
  hasSameIdentity,
  identifyChange,
  isCommonText,
  isDirective,
  isHoldCause,
  judgeChange,
  judgeRobots,
  type NewDirective,
  type PageAnswer,
  RELEASED,
  type SuspiciousChange,
} from '../../../domain/crawl/change-guard.js';
import { CANONICAL_ELSEWHERE } from '../../../domain/crawl/disposition.js';
import { NEVER_CRAWLED, type UrlId, type UrlState } from '../../../domain/crawl/url-state.js';
import { isPageGone } from '../../../domain/push/sign-of-life.js';
import {
  after,
  atMost,
  before,
  between,
  type Duration,
  days,
  type Instant,
  minutes,
} from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, findFetcherOf } from '../../page/crawl-context.js';
import { acceptsMediaType } from '../../page/page-outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import type { ErrorPageProbes } from '../hosts/error-page-probes.js';
import type { RobotsGate } from '../hosts/robots-gate.js';
import { type ChangedAnswer, createErrorPageResult, createHeldResult, type Hold, isChanged } from './held-results.js';
import { findMiss, Inquiry, judgeClosedPart } from './inquiry.js';

const MAX_HOSTS = 10_000;
/** Number of documents from which pages are chosen. */
const MAX_CANDIDATES = 100;
const MAX_ROBOTS_SAMPLE = 1_000;
const PAGE_SIZE = 1_000;
/** Between two visits of all held pages of a host. */
const MIN_REVISIT_INTERVAL: Duration = minutes(10);
/** When a page is visited again at the latest, if its visit after the answers of the others does not come. */
const UNCONFIRMED_CHECK: Duration = minutes(15);
/** How old a robots.txt that is held may be when it is checked again. */
const HELD_ROBOTS_AGE: Duration = minutes(5);

interface HostMemory {
  inquiry?: Inquiry;
  /** The held page that is visited to see whether the host has recovered, and when. */
  checker?: { readonly id: UrlId; readonly at: Instant };
  checks: number;
  /** When all held pages were last requested. */
  revisitedAt?: Instant;
  /** The verdict on the robots.txt that was fetched at this time. */
  robots?: { readonly fetchedAt: Instant; readonly verdict: 'believe' | 'hold' };
}

interface ChangeGuardServices {
  readonly store: Pick<FrontierStore, 'list' | 'listOrders' | 'find' | 'get'>;
  readonly clock: Clock;
  readonly probes: Pick<ErrorPageProbes, 'wantAnswer' | 'isAnswerWanted' | 'findAnswer'>;
  readonly robots: Pick<RobotsGate, 'checkUrl' | 'limitAge'>;
  /** Visits the URL next; false if it is in flight. */
  readonly scheduleVisit: (state: UrlState) => Promise<boolean>;
  /** Whether it is the text of a document of the host whose URL was known when the page was last visited. */
  readonly isTextOfAnother: (page: UrlState, stamp: string, sample: TextSample) => Promise<boolean>;
}

export class ChangeGuard {
  private readonly hosts = new BoundedMap<string, HostMemory>(MAX_HOSTS);
  /** Pages that are to be visited again when the visit in flight is settled. */
  private readonly missed = new Set<UrlId>();

  constructor(
    private readonly crawler: string,
    private readonly services: ChangeGuardServices,
  ) {}

  /** Judges what a visit has found. Returns the result, or an error in its place if it is not believed, or not yet. */
  async review(context: CrawlContext, state: UrlState, result: PageResult): Promise<PageResult> {
    const { changeGuard, refresh } = context.definition;
    if (!changeGuard.on || state.stamp === undefined) return result;
    // A type that was accepted and is no more is a matter of the configuration.
    const isRefusedType = state.contentType !== undefined && !acceptsMediaType(context, state.contentType);
    const answer =
      isRefusedType && result.outcome.kind === 'excluded' ? undefined : await this.readAnswer(state, result);
    await this.noteAnswer(state, answer, result.outcome);
    // A page that was held and is gone or fails does not look for recovery any more: another one does.
    if (!answer && isHoldCause(state.pendingDeletion)) await this.visitHeldPages(state.hostKey, state.id);
    if (!answer || (!answer.change && !isHoldCause(state.pendingDeletion))) return result;
    const isReleased = answer.change !== undefined && (await this.isHeldSince(state, changeGuard.believeAfter));
    const memory = this.findMemory(state.hostKey);
    const isBelieved = isReleased || !isChanged(answer) || (await this.judge(context, state, answer, memory));
    if (isBelieved === true) {
      if (isHoldCause(state.pendingDeletion)) await this.visitHeldPages(state.hostKey);
      return isReleased ? { ...result, believed: true } : result;
    }
    if (isBelieved === 'error-page') return createErrorPageResult(result);
    // While others are asked, it is visited again when they have answered, so it is not the one that looks for recovery.
    const retryAfter = isBelieved.isConfirmed
      ? this.planCheck(state, memory, atMost(refresh.maximumAge, days(1)))
      : UNCONFIRMED_CHECK;
    return createHeldResult(result, answer as ChangedAnswer, { ...isBelieved, retryAfter });
  }

  /** To be called when a visit has been settled. */
  noteSettled({ id, crawler, url }: UrlState): Promise<unknown> | undefined {
    if (!this.missed.delete(id)) return undefined;
    return this.services.store.find(crawler, url).then((state) => state && this.visitSoon(state));
  }

  /** To be called when hosts have been taken over from another node. */
  reset(): void {
    this.hosts.clear();
    this.missed.clear();
  }

  private findMemory(hostKey: string): HostMemory {
    const memory = this.hosts.get(hostKey) ?? { checks: 0 };
    this.hosts.set(hostKey, memory);
    return memory;
  }

  /** What the page has said; undefined if it has failed, or says nothing about its document. */
  private async readAnswer(state: UrlState, { outcome }: PageResult): Promise<PageAnswer | undefined> {
    const indexed = { indexedText: state.textSketch, indexedStamp: state.stamp };
    switch (outcome.kind) {
      case 'unchanged':
        return indexed;
      case 'excluded':
        return isDirective(outcome.reason) && outcome.byConfiguration !== true
          ? { ...indexed, change: { kind: 'directive', reason: outcome.reason } }
          : undefined;
      case 'document': {
        const { sample } = outcome.facts;
        const named = { ...indexed, canonical: outcome.canonical };
        if (!outcome.index && !isDirective(outcome.reason)) return undefined;
        const directive = outcome.index
          ? await this.findCanonicalChange(state, outcome.canonical)
          : { reason: outcome.reason };
        if (sample && state.textSketch !== undefined) {
          const isTextOfAnother = await this.services.isTextOfAnother(state, outcome.facts.stamp, sample);
          if (isTextOfAnother || this.isSuspicious(state, sample))
            return { ...named, change: { kind: 'text', sample, directive, isTextOfAnother } };
        }
        return { ...named, change: directive && { kind: 'directive', ...directive } };
      }
      default:
        return undefined;
    }
  }

  /** A text that is common on the host by now is suspicious even if it has something in common with the indexed one. */
  private isSuspicious({ id, hostKey }: UrlState, sample: TextSample): boolean {
    if (isSuspicious(sample)) return true;
    const inquiry = this.hosts.get(hostKey)?.inquiry;
    return (
      inquiry !== undefined && isCommonText(sample, this.getEvidence(hostKey, inquiry, id, { kind: 'text', sample }))
    );
  }

  private async findCanonicalChange(state: UrlState, target: string | undefined): Promise<NewDirective | undefined> {
    if (target === undefined) return undefined;
    const canonicalState = await this.services.store.find(this.crawler, target);
    if (judgeCanonical(state, canonicalState) !== 'gives-way') return undefined;
    const [own, other] = [state.textSketch, canonicalState?.textSketch];
    const isUnrelated = own !== undefined && other !== undefined && sharesAlmostNothing(own, other);
    return { reason: CANONICAL_ELSEWHERE, target, isUnrelated };
  }

  /** Whether the page's change has been held for this long, or was released by an operator. */
  private async isHeldSince(state: UrlState, time: Duration | undefined): Promise<boolean> {
    if (!isHoldCause(state.pendingDeletion)) return false;
    const filter = { crawler: this.crawler, uri: state.url, state: 'awaiting' } as const;
    const entries = await this.services.store.listOrders(filter, undefined, 10);
    const latest = time === undefined ? undefined : before(this.services.clock.now(), time);
    return entries.some(
      ({ reason, answer, decidedAt }) =>
        isHoldCause(reason) && (answer === RELEASED || (latest !== undefined && decidedAt <= latest)),
    );
  }

  /** Whether a page that is held says what it said before: a page that says something else each time has no text of its own. */
  private async saysTheSame(state: UrlState, change: SuspiciousChange): Promise<boolean> {
    if (!isHoldCause(state.pendingDeletion) || change.kind !== 'text' || hasNewFigures(change)) return true;
    const filter = { crawler: this.crawler, uri: state.url, state: 'awaiting' } as const;
    const [latest] = await this.services.store.listOrders(filter, undefined, 1);
    return latest?.stamp === undefined || hasSameIdentity(identifyChange(change), latest.stamp, hasSameSketch);
  }

  /** True if the change is believed. */
  private async judge(
    context: CrawlContext,
    state: UrlState,
    answer: ChangedAnswer,
    memory: HostMemory,
  ): Promise<true | 'error-page' | Pick<Hold, 'isConfirmed' | 'evidence'>> {
    const { change } = answer;
    if (change.kind === 'directive' && change.reason === 'robots-disallowed')
      return (await this.judgeRobots(context, state, memory)) === 'believe' || { isConfirmed: true };
    const inquiry = this.findInquiry(state.hostKey, memory);
    const now = this.services.clock.now();
    inquiry.answers.set(state.id, { ...answer, at: now });
    inquiry.noteChange(state, change, now);
    let verdict: ChangeVerdict = inquiry.hasMovedAlong(answer) ? 'believe' : 'hold';
    if (verdict === 'hold' && inquiry.outstanding.size === 0)
      verdict = await this.proceed(state.hostKey, inquiry, state.id, answer);
    const hasKept = inquiry.kept.get(state.id);
    if (verdict === 'believe' && (hasKept === false || !(await this.saysTheSame(state, change)))) verdict = 'doubt';
    if (verdict === 'believe' && findDirective(change))
      verdict = judgeClosedPart((await this.listDocuments(state.hostKey)).filter(({ id }) => id !== state.id));
    // The fault of a page may come and go.
    const isFirstSight = verdict === 'believe' && hasKept === undefined && !hasNewFigures(change);
    if ((verdict === 'believe' && !isFirstSight) || (verdict === 'doubt' && (await this.isHeldSince(state, DOUBT)))) {
      inquiry.noteBelieved(answer);
      return true;
    }
    if (verdict === 'error-page') return verdict;
    const isAsking = inquiry.outstanding.size > 0;
    const evidence = this.getEvidence(state.hostKey, inquiry, state.id, change);
    // A site with a single document: its own next visit brings the answer to nonsense.
    const isAlone = !isAsking && evidence.others.length === 0 && this.services.probes.isAnswerWanted(state.hostKey);
    if (isAsking) inquiry.waiting.add(state.id);
    else if (isAlone || isFirstSight) this.missed.add(state.id);
    return { isConfirmed: !isAsking && !isAlone && !isFirstSight, evidence };
  }

  /** Asks further pages as long as the verdict requires it and there are any. */
  private async proceed(hostKey: string, inquiry: Inquiry, id: UrlId, answer: ChangedAnswer): Promise<ChangeVerdict> {
    for (;;) {
      const verdict = judgeChange(answer, this.getEvidence(hostKey, inquiry, id, answer.change));
      if (typeof verdict !== 'object') return verdict;
      await this.ask(hostKey, inquiry, id, verdict.ask, answer.change);
      if (inquiry.outstanding.size > 0) return verdict;
    }
  }

  private getEvidence(hostKey: string, inquiry: Inquiry, id: UrlId, change: SuspiciousChange): HostEvidence {
    const nonsense = this.services.probes.findAnswer(hostKey) ?? 'unknown';
    return { ...inquiry.collect(id, change, this.services.clock.now()), nonsense };
  }

  private findInquiry(hostKey: string, memory: HostMemory): Inquiry {
    const now = this.services.clock.now();
    const { inquiry } = memory;
    if (inquiry?.isValid(now)) return inquiry;
    this.services.probes.wantAnswer(hostKey);
    memory.inquiry = new Inquiry(now, inquiry);
    return memory.inquiry;
  }

  private listDocuments(hostKey: string): Promise<UrlState[]> {
    return this.services.store.list({ crawler: this.crawler, hostKey, indexed: true }, 0, MAX_CANDIDATES);
  }

  /** Visits other documents of the host. */
  private async ask(
    hostKey: string,
    inquiry: Inquiry,
    id: UrlId,
    count: number,
    change: SuspiciousChange,
  ): Promise<void> {
    const documents = await this.listDocuments(hostKey);
    if (inquiry.indexedTexts.length === 0)
      inquiry.indexedTexts = documents.flatMap(({ textSketch: text }) => (text === undefined ? [] : [text]));
    const target = findDirective(change)?.target;
    const pages = documents.filter((page) => page.id !== id && !NEVER_CRAWLED.has(page.status));
    // The page that the others name as their canonical URL says nothing about them, if there are any others.
    const others = pages.some(({ url }) => url !== target) ? pages.filter(({ url }) => url !== target) : pages;
    inquiry.hasOthers = others.length > 0;
    const now = this.services.clock.now();
    const candidates = others.filter(
      (page) => !inquiry.outstanding.has(page.id) && !inquiry.hasReplied(page.id, id, now),
    );
    let requested = 0;
    for (const page of inquiry.sortCandidates(candidates, id, count, change)) {
      if (requested === count || inquiry.getAskable(id) === 0) return;
      inquiry.noteAsked(id);
      const miss = inquiry.misses.get(page.id) ?? findMiss(page, now);
      if (miss) {
        inquiry.misses.set(page.id, { ...miss, at: now });
        continue;
      }
      // Before the visit is requested, because it may end before the request returns.
      inquiry.outstanding.add(page.id);
      if (await this.services.scheduleVisit(page)) requested++;
      else inquiry.outstanding.delete(page.id);
    }
    inquiry.askable.set(id, 0);
  }

  /** Records what a page has said, if its host is being asked. */
  private async noteAnswer(
    { id, hostKey }: UrlState,
    answer: PageAnswer | undefined,
    outcome: PageOutcome,
  ): Promise<void> {
    const inquiry = this.hosts.get(hostKey)?.inquiry;
    if (!inquiry) return;
    if (answer) inquiry.note(id, answer, this.services.clock.now());
    if (!inquiry.outstanding.delete(id)) return;
    const isGone = outcome.kind === 'error' && isPageGone(outcome.code);
    if (!answer) inquiry.misses.set(id, { at: this.services.clock.now(), hasFailed: !isGone });
    if (inquiry.outstanding.size > 0) return;
    for (const waitingId of inquiry.waiting) {
      const waitingAnswer = inquiry.answers.get(waitingId);
      if (!waitingAnswer || !isChanged(waitingAnswer)) continue;
      const verdict = await this.proceed(hostKey, inquiry, waitingId, waitingAnswer);
      if (typeof verdict === 'object') return;
    }
    const waitingPages = await this.services.store.get([...inquiry.waiting]);
    inquiry.waiting.clear();
    for (const page of waitingPages) await this.visitSoon(page);
  }

  private async visitSoon(state: UrlState): Promise<void> {
    if (!(await this.services.scheduleVisit(state))) this.missed.add(state.id);
  }

  /**
   * Visits all held pages of the host, also those whose changes were dropped: what they say now counts, unless it is still
   * suspicious. If one of them has said nothing, its host may be ill: then only the page that was not visited for longest.
   */
  private async visitHeldPages(hostKey: string, silent?: UrlId): Promise<void> {
    const { store, clock, scheduleVisit } = this.services;
    const memory = this.findMemory(hostKey);
    const now = clock.now();
    if (silent === undefined) memory.checks = 0;
    memory.checker = undefined;
    const isSoon = memory.revisitedAt !== undefined && between(memory.revisitedAt, now) < MIN_REVISIT_INTERVAL;
    if (isSoon && silent !== undefined) return;
    // The page that has recovered may be the one that looked for it: then another one has to.
    const isOneEnough = isSoon || silent !== undefined;
    if (!isSoon) memory.revisitedAt = now;
    let lastId = 0;
    for (;;) {
      const states = await store.list({ crawler: this.crawler, hostKey, pendingDeletion: true }, lastId, PAGE_SIZE);
      const held = states.filter(({ id, pendingDeletion }) => id !== silent && isHoldCause(pendingDeletion));
      if (isOneEnough) held.sort((a, b) => (a.lastVisitAt ?? 0) - (b.lastVisitAt ?? 0));
      for (const state of held) if ((await scheduleVisit(state)) && isOneEnough) return;
      if (isOneEnough || states.length < PAGE_SIZE) return;
      lastId = states.at(-1)!.id;
    }
  }

  /** Returns the time until the next visit of a held page. One page of the host is visited more often than the others. */
  private planCheck({ id }: UrlState, memory: HostMemory, otherwise: Duration): Duration {
    const now = this.services.clock.now();
    const { checker } = memory;
    if (checker && checker.id !== id && checker.at > now) return otherwise;
    const delay = computeCheckDelay(memory.checks++);
    memory.checker = { id, at: after(now, delay) };
    return delay;
  }

  private async judgeRobots(context: CrawlContext, state: UrlState, memory: HostMemory): Promise<'believe' | 'hold'> {
    const { robots, store } = this.services;
    const { hostKey, url } = state;
    const check = (page: UrlState) => robots.checkUrl(toCrawlUrl(page.url), findFetcherOf(context, page).robotsAgent);
    const own = check(state);
    const fetchedAt = 'entry' in own ? own.entry.policy.fetchedAt : undefined;
    if (fetchedAt === undefined) return 'hold';
    if (memory.robots?.fetchedAt !== fetchedAt) {
      const documents = await store.list({ crawler: this.crawler, hostKey, indexed: true }, 0, MAX_ROBOTS_SAMPLE);
      const isForbidden = documents.map((page) => check(page).kind === 'disallowed');
      memory.robots = { fetchedAt, verdict: judgeRobots(isForbidden) };
    }
    if (memory.robots.verdict === 'hold') robots.limitAge(toCrawlUrl(url), HELD_ROBOTS_AGE);
    return memory.robots.verdict;
  }
}
