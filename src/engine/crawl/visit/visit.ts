/**
 * One visit, from a leased URL to its settled state: robots, page, links, decision, delivery, settlement. In this order;
 * nothing else decides order.
 */

import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { Teller } from '../../../domain/explain/visit-detail.js';
import { type ErrorCode, reactionsTo } from '../../../domain/fetch/error-codes.js';
import type { Verdict } from '../../../domain/policy/verdict.js';
import { pauseAfterReading, SLOW_PAGE } from '../../../domain/politeness/politeness.js';
import { adaptedPause, paceAfter } from '../../../domain/politeness/server-pace.js';
import type { Duration, Instant } from '../../../domain/time/units.js';
import { crawlUrl } from '../../../domain/url/crawl-url.js';
import { rootOf, storedCandidate } from '../../page/crawl-context.js';
import { isFeed } from '../../page/page-links.js';
import type { Visit } from '../../ports/frontier-store.js';
import { WorkLost } from '../../ports/page-processor.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import { type Fence, FencedOut } from '../../ports/partitions.js';
import type { ClaimedChanges } from '../claimed-changes.js';
import type { FoundAgain } from '../found-again.js';
import type { Gates } from '../frontier/gates.js';
import { noteHost } from '../host-answers.js';
import type { HostTroubles } from '../host-trouble.js';
import type { Host } from '../hosts/hosts.js';
import { pricedBy } from '../hosts/visit-pricing.js';
import type { SettledUrl, UrlSettlement } from '../outcome/url-settlement.js';
import { Retries } from '../retries.js';
import type { CrawlServices } from '../services.js';
import type { Attempt } from './attempt.js';
import { dispositionRules } from './disposition-rules.js';
import type { Documents } from './documents.js';
import { FoundLinks, type LinkTarget } from './found-links.js';
import { hasAsked, Preconditions, PUT_BACK } from './preconditions.js';
import { visitRecord } from './visit-record.js';
import { isRedirectLoop, sentWith, VisitSessions } from './visit-sessions.js';

export interface VisitTarget extends LinkTarget {
  readonly settlement: UrlSettlement;
  readonly documents: Documents;
  readonly troubles: Pick<HostTroubles, 'note'>;
  readonly foundAgain: FoundAgain;
  readonly claims: ClaimedChanges;
  /** URLs whose visit their site has asked for. */
  readonly told: Map<UrlId, Teller>;
  /** Since when the present policy is in force. */
  policySince(): Instant;
  readonly gates: Pick<Gates, 'fetched' | 'throttle' | 'wasClosed'>;
  /** Requests that may be in flight at the host at once; undefined: as the crawler says. */
  limitHost(hostKey: string, limit: number | undefined): void;
}

/** As often in a row as that a URL is put back whose work is lost; then something may be wrong with it after all. */
const MOST_LOSSES = 3;

export class VisitRunner {
  private readonly losses = new WeakMap<UrlState, number>();
  /** Visits that a person asked for while the host rested, and until when it would have rested. */
  private readonly tried = new WeakMap<UrlState, Instant>();
  private readonly links: FoundLinks;
  private readonly preconditions: Preconditions;
  private readonly retries: Retries;
  private readonly sessions: VisitSessions;

  constructor(
    private readonly services: CrawlServices,
    private readonly target: VisitTarget,
  ) {
    this.links = new FoundLinks(services, target);
    this.preconditions = new Preconditions(services, target, this.links);
    this.sessions = new VisitSessions(services, target);
    this.retries = new Retries(services.sessions);
  }

  /**
   * `fetched` is called when the request is over and only decision and delivery remain, with the bytes that the page takes
   * in memory until they are done; and before, with none, when another host has to be waited for. Throws FencedOut when the
   * host has become another node's: that one visits the URL again.
   */
  async run(state: UrlState, host: Host, fetched: (bytes: number) => void): Promise<SettledUrl | typeof PUT_BACK> {
    const fence = this.services.partitions.fence(host.key);
    const startedAt = this.services.clock.now();
    if (host.rests(startedAt)) this.tried.set(state, host.politeness.backOffUntil);
    else this.tried.delete(state);
    let result = await this.fetch(state, host, () => fetched(0));
    if (result === PUT_BACK) return PUT_BACK;
    this.retries.end(state);
    this.sessions.end(state);
    try {
      if (!fence || !this.services.partitions.holds(fence)) throw new FencedOut(fence ? [fence] : []);
      fetched(bytesOf(result));
      result = await this.takeLinks(state, result);
    } catch (error) {
      this.services.review.withdraw(result);
      throw error;
    }
    const { documents } = this.target;
    try {
      const settledUrl = await this.settle(state, host, result, fence, startedAt);
      result.release?.();
      return settledUrl;
    } catch (error) {
      documents.failed(state);
      throw error;
    } finally {
      documents.ended(state);
    }
  }

  private async takeLinks(state: UrlState, result: PageResult): Promise<PageResult> {
    const { foundAgain, claims, context } = this.target;
    const again = await foundAgain.linked(state, result, context);
    const added = await this.links.take(
      state,
      again.length > 0 ? { ...result, links: [...result.links, ...again] } : result,
    );
    const { outcome, links, hub } = result;
    if (hub) this.services.subscriptions.found(state.crawler, state.url, hub);
    if (outcome.kind === 'sitemap')
      return { ...result, outcome: { ...outcome, changed: (await claims.dated(state, links)) || added > 0 } };
    if (outcome.kind === 'document') {
      if (isFeed(outcome.facts.contentType)) await claims.dated(state, links);
      else if (this.isHub(state) && outcome.facts.stamp !== state.stamp) await claims.hubChanged(state, links);
    }
    return result;
  }

  /** Its changes are taken for a sign that what it links to has changed: it has changed before, so that it may again. */
  private isHub({ changes, stamp }: UrlState): boolean {
    return this.target.context.definition.refresh.hubs && changes > 0 && stamp !== undefined;
  }

  /** The host has been claimed by the caller; here the claim ends, with the pause that the requests made have earned. */
  private async fetch(state: UrlState, host: Host, waits: () => void): Promise<PageResult | typeof PUT_BACK> {
    let pause: Duration | undefined;
    let age: Duration | undefined;
    let bytes = 0;
    try {
      const verdict = await this.judge(state);
      const attempt = this.attempt(state, host, verdict, waits);
      this.target.limitHost(host.key, attempt.options.concurrencyPerHost);
      // The page processor refuses what the policy rejects, and then nothing at all is asked of the host.
      if (verdict.accepted) {
        const { end, asked } = await this.preconditions.check(attempt);
        if (asked) pause = this.preconditions.delay(attempt);
        if (end !== undefined) return end;
        await this.services.hosts.started(host, this.preconditions.delay(attempt));
      }
      const delay = this.preconditions.delay(attempt);
      pause = delay;
      const answer = await this.ask(attempt);
      ({ age, bytes } = answer);
      if (hasAsked(answer)) host.pace = paceAfter(host.pace, answer.duration, answer.status);
      const read = this.afterReading(host, answer, adaptedPause(delay, host.pace));
      pause = this.services.rendered.pause(read, answer);
      const accepted = await this.sessions.answered(attempt, answer);
      if (accepted !== answer) this.services.review.withdraw(answer);
      if (accepted === 'again' || (await this.wantsRetry(attempt, accepted, verdict))) return PUT_BACK;
      const result = await this.services.review.review(state, accepted);
      noteHost(this.services.hosts, host, result, { indexed: state.stamp !== undefined, tried: attempt.tried });
      if (!hasAsked(result)) pause = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof WorkLost) || this.isLostAgain(state)) throw error;
      return PUT_BACK;
    } finally {
      if (pause === undefined) this.services.hosts.released(host);
      else this.services.hosts.finished(host, pause, age);
      this.target.gates.fetched(state, host, bytes);
    }
  }

  private wantsRetry(attempt: Attempt, result: PageResult, verdict: Verdict): false | Promise<boolean> {
    if (result.variant === undefined && !isRedirectLoop(result)) return false;
    return this.retries.wants(attempt, result, verdict, this.sessions.jarOf(attempt));
  }

  /** A page that held its thread for long keeps its host waiting for longer, so that others have their share of the thread. */
  private afterReading(host: Host, { readingTime, outcome }: PageResult, delay: Duration): Duration {
    if (readingTime === undefined) return delay;
    const pause = pauseAfterReading(delay, readingTime);
    if (readingTime > SLOW_PAGE) {
      host.slowPages++;
      const facts = { host: host.key, readingMs: readingTime, pauseMs: pause, outcome: outcome.kind };
      this.services.log.warn('a page took long to read: its host waits longer', facts);
    }
    return pause;
  }

  private attempt(state: UrlState, host: Host, { effects }: Verdict, waits: () => void): Attempt {
    const url = crawlUrl(effects.fetchUrl ?? this.retries.of(state)?.variant ?? state.url);
    const { options } = effects;
    const tried = this.tried.has(state);
    const login = this.sessions.loginOf(url.href, options);
    return { state, host, url, options, task: () => this.task(state), tried, login, waits };
  }

  private async ask(attempt: Attempt): Promise<PageResult> {
    const { state, url, options, waits } = attempt;
    const robotsPreferences = this.preconditions.preferences(attempt);
    const retry = this.retries.of(state);
    const variant = retry?.variant;
    const own = retry?.session && { cookies: retry.session.cookies(url.href) };
    const session = own ?? (await this.sessions.request(attempt));
    const wantsWords = await this.target.endless.wantsWords(state);
    const task = this.task(state);
    const reportLinks = await this.target.foundAgain.wantsLinks(state, task, this.target.policySince());
    const allLinksIfChanged = this.isHub(state);
    if (session) this.sessions.note(state, session);
    const { rendered, processor } = this.services;
    const rendering = rendered.task(state, options, this.target.context.definition);
    const asked = {
      ...task,
      ...rendering,
      variant,
      session,
      wantsWords,
      reportLinks,
      allLinksIfChanged,
      robotsPreferences,
    };
    const result = await rendered.run(rendering, waits, () => processor.process(asked));
    rendered.note(state, result);
    return session ? { ...result, sent: sentWith(session) } : result;
  }

  private isLostAgain(state: UrlState): boolean {
    const losses = (this.losses.get(state) ?? 0) + 1;
    this.losses.set(state, losses);
    return losses > MOST_LOSSES;
  }

  private async judge(state: UrlState): Promise<Verdict> {
    const { policy } = this.target.context;
    const url = crawlUrl(state.url);
    const candidate = storedCandidate(state, url, rootOf(this.target.context, state.root, url));
    const verdict = policy.judge(candidate);
    if (!verdict.needsAddress) return verdict;
    const address = (await this.services.processor.resolve(candidate.url.host)) ?? null;
    return policy.judge({ ...candidate, address });
  }

  private task(state: UrlState): PageTask {
    const {
      id,
      crawler,
      url,
      discoveredVia,
      foundOn,
      root,
      hops,
      redirects,
      etag,
      lastModified,
      stamp,
      inheritedMetas,
    } = this.services.inDoubt.asInDoubt(state);
    const now = this.services.clock.now();
    const rereadLinks = state.lastVisitAt === undefined || state.lastVisitAt <= this.target.policySince();
    return {
      rereadLinks,
      sendBy: this.services.partitions.sendBy,
      id,
      crawler,
      url,
      discoveredVia,
      foundOn,
      root,
      hops,
      redirects,
      etag,
      lastModified,
      stamp,
      inheritedMetas,
      now,
    };
  }

  private async settle(
    state: UrlState,
    host: Host,
    result: PageResult,
    fence: Fence,
    startedAt: Instant,
  ): Promise<SettledUrl> {
    const outcome = await this.target.documents.outcome(state, result.outcome);
    const now = this.services.clock.now();
    const { context } = this.target;
    const rules = {
      ...dispositionRules(context.definition, result.schedule, this.services.cron, now),
      visitPrice: host.visitPrice,
    };
    await this.noteAnswer(state, result, startedAt);
    const disposition = this.services.inDoubt.dispose(state, outcome, rules, now);
    // Late because of a schedule says nothing of what the host can serve.
    const isTold = !this.target.gates.wasClosed(host.key, state.dueAt);
    const price = isTold ? pricedBy({ state, rules, changes: disposition.changes }, host, now) : undefined;
    if (price !== undefined) {
      this.services.hosts.price(host, price);
      this.target.tally.price(price);
    }
    const restedUntil = this.tried.get(state);
    if (this.target.claims.isOnTrial(state))
      await this.target.claims.visited(state, outcome.kind === 'error' ? undefined : disposition.changed);
    const visit = visitRecord(
      result,
      outcome,
      {
        changed: (disposition.changes.changes ?? state.changes) > state.changes,
        restedUntil,
        teller: this.tellerOf(state),
      },
      now,
    );
    this.note(state, result, visit);
    const document = result.outcome.kind === 'document' ? result.outcome.document : undefined;
    const changes = { ...disposition.changes, lastStatus: result.status ?? null };
    // Its links were judged by the policy before: as a visit of that time, it has the next one read them again.
    if (changes.lastVisitAt !== undefined && startedAt <= this.target.policySince()) changes.lastVisitAt = startedAt;
    return this.target.settlement.settle({
      state,
      fence,
      disposition: { ...disposition, changes },
      document,
      visit,
      links: this.target.foundAgain.toRemember(state, result),
      startedAt,
      byPerson: result.outcome.kind === 'excluded' && result.outcome.byConfiguration === true,
    });
  }

  private tellerOf({ id }: UrlState): Teller | undefined {
    const { told } = this.target;
    if (told.size === 0) return undefined;
    const teller = told.get(id);
    told.delete(id);
    return teller;
  }

  private noteAnswer(state: UrlState, { outcome, status }: PageResult, startedAt: Instant): Promise<void> {
    const { id, url, hostKey, discoveredVia, firstSeenAt } = state;
    const code = outcome.kind === 'error' ? outcome.code : undefined;
    return this.target.troubles.note({
      id,
      url,
      hostKey,
      discoveredVia,
      firstSeenAt,
      visitedBefore: state.lastVisitAt !== undefined,
      startedAt,
      outcome: outcome.kind,
      status,
      code,
    });
  }

  private note(state: UrlState, result: PageResult, visit: Visit): void {
    const { outcome: end } = result;
    const noSitemap = end.kind === 'error' && isGuessMissing(state, end.code);
    const failed = end.kind === 'error' && !noSitemap;
    const counted = noSitemap ? NO_SITEMAP : visit.outcome;
    this.target.tally.visit(counted, failed, result.duration, result.bytes);
    if (result.outcome.kind === 'document' && result.outcome.unread)
      this.target.tally.couldNotRead(result.outcome.unread.refused);
    if (result.outcome.kind === 'document' && result.outcome.needsRendering) this.target.tally.needRendering++;
    if (result.rendering) this.target.tally.rendered(result.rendering);
    this.services.health.note(state.hostKey, { outcome: counted, failed, duration: result.duration });
    const { crawler, url } = state;
    const { outcome, status, bytes, changed, duration } = visit;
    this.services.events.emit({ type: 'visit', crawler, url, outcome, status, bytes, changed, durationMs: duration });
  }
}

/** As a visit is counted that asked for a sitemap at the usual place, where the site has none: nobody named it, so nothing failed. */
export const NO_SITEMAP = 'no-sitemap';

const isGuessMissing = ({ url, discoveredVia }: UrlState, code: ErrorCode): boolean =>
  discoveredVia === 'robots' && reactionsTo(code).isMissing === true && crawlUrl(url).path === '/sitemap.xml';

/** A link with what is known of it beside its URL, as long as it is on its way to the store. */
const LINK_BYTES = 256;

function bytesOf({ outcome, links, refused }: PageResult): number {
  const document = outcome.kind === 'document' ? outcome.document : undefined;
  let bytes = 0;
  for (const { master, text } of document ? [document, ...(document.parts ?? [])] : [])
    bytes += master.bytes.byteLength + text.length;
  for (const link of links) bytes += LINK_BYTES + link.url.length;
  for (const link of refused) bytes += link.url.length + link.hostKey.length;
  return bytes;
}
