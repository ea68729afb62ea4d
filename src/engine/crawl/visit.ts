/**
 * One visit, from a leased URL to its settled state: robots, page, links, decision, delivery, settlement. In this order;
 * nothing else decides order.
 */
import type { UrlOptions } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Verdict } from '../../domain/policy/verdict.js';
import { concernsHost, requestDelay, requestsPerHost } from '../../domain/politeness/politeness.js';
import { type Duration, type Instant, milliseconds } from '../../domain/time/units.js';
import { type CrawlUrl, crawlUrl } from '../../domain/url/crawl-url.js';
import { rootOf, storedCandidate } from '../page/crawl-context.js';
import type { Visit } from '../ports/frontier-store.js';
import { WorkLost } from '../ports/page-processor.js';
import type { PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { type Fence, FencedOut } from '../ports/partitions.js';
import type { Concluded, Conclusion } from './conclusion.js';
import { dispositionRules } from './disposition-rules.js';
import type { Documents } from './documents.js';
import { ENDLESS_REASON } from './endless-links.js';
import { FoundLinks, type LinkTarget } from './found-links.js';
import type { Host } from './hosts.js';
import { obeysRobots } from './robots-gate.js';
import type { CrawlServices } from './services.js';
import { pricedBy } from './visit-pricing.js';
import { visitRecord } from './visit-record.js';

export interface VisitTarget extends LinkTarget {
  readonly conclusion: Conclusion;
  readonly documents: Documents;
  /** Since when the present policy is in force. */
  policySince(): Instant;
  /** Requests that may be under way at the host at once; undefined: as the crawler says. */
  limitHost(hostKey: string, limit: number | undefined): void;
}

/** The URL was not visited and goes back to the head of its queue. */
export const PUT_BACK = Symbol('put back');

/** As often in a row as that a URL is put back whose work is lost; then something may be wrong with it after all. */
const MOST_LOSSES = 3;

export class VisitRunner {
  private readonly losses = new WeakMap<UrlState, number>();
  /** URLs that redirect to another spelling of themselves, which is asked for next. */
  private readonly spellings = new WeakMap<UrlState, string>();
  private readonly links: FoundLinks;

  constructor(
    private readonly services: CrawlServices,
    private readonly target: VisitTarget,
  ) {
    this.links = new FoundLinks(services, target);
  }

  /**
   * `fetched` is called when the request is over and only decision and delivery remain, with the bytes that the page takes
   * in memory until they are done; and before, with none, when another host has to be waited for. Throws FencedOut when the
   * host has become another node's: that one visits the URL again.
   */
  async run(state: UrlState, host: Host, fetched: (bytes: number) => void): Promise<Concluded | typeof PUT_BACK> {
    const fence = this.services.partitions.fence(host.key);
    const begun = this.services.clock.now();
    const result = await this.fetch(state, host, () => fetched(0));
    if (result === PUT_BACK) return PUT_BACK;
    this.spellings.delete(state);
    try {
      if (!fence || !this.services.partitions.holds(fence)) throw new FencedOut(fence ? [fence] : []);
      fetched(bytesOf(result));
      await this.links.take(state, result);
    } catch (error) {
      this.services.review.withdraw(result);
      throw error;
    }
    const concluded = await this.conclude(state, host, result, fence, begun).finally(() =>
      this.target.documents.ended(state),
    );
    result.release?.();
    return concluded;
  }

  /** The host has been claimed by the caller; here the claim ends, with the pause that the requests made have earned. */
  private async fetch(state: UrlState, host: Host, waits: () => void): Promise<PageResult | typeof PUT_BACK> {
    let pause: Duration | undefined;
    let age: Duration | undefined;
    try {
      const verdict = await this.judge(state);
      const { options, fetchUrl } = verdict.effects;
      const spelling = this.spellings.get(state);
      const url = crawlUrl(fetchUrl ?? spelling ?? state.url);
      this.target.limitHost(host.key, options.concurrencyPerHost);
      // The page processor refuses what the policy rejects, and then nothing at all is asked of the host.
      const refused = !verdict.accepted;
      if (!refused && this.target.endless.skips(state))
        return this.excluded(state, ENDLESS_REASON, this.target.endless.objection(state.hostKey, state.url));
      const gate = refused ? {} : await this.passRobots(state, url, host, options, waits);
      const delay = this.delay(url, options);
      if (gate.asked) pause = delay;
      if (gate.end !== undefined) return gate.end;
      if (!refused && this.wantsProbe(host)) {
        // Another visit is asking: what comes of it is waited for.
        if (host.waitsForAnswer) return PUT_BACK;
        const mayAsk = (question: string): boolean => this.robotsAllow(crawlUrl(question), options);
        const probe = await this.services.probes.ask(this.task(state), host, { delay, mayAsk });
        if (probe && hasAsked(probe)) pause = delay;
        if (probe) this.noteHost(host, probe, false);
        return PUT_BACK;
      }
      if (!refused) await this.services.hosts.started(host, delay);
      pause = delay;
      const wantsWords = await this.target.endless.wantsWords(state);
      const answer = await this.services.processor.process({ ...this.task(state), spelling, wantsWords });
      age = answer.age;
      if (answer.spelling !== undefined && fetchUrl === undefined) {
        this.spellings.set(state, answer.spelling);
        return PUT_BACK;
      }
      const result = await this.services.review.review(state, answer);
      this.noteHost(host, result, state.stamp !== undefined);
      if (!hasAsked(result)) pause = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof WorkLost) || this.isLostAgain(state)) throw error;
      return PUT_BACK;
    } finally {
      if (pause === undefined) this.services.hosts.released(host);
      else this.services.hosts.finished(host, pause, age);
    }
  }

  private isLostAgain(state: UrlState): boolean {
    const losses = (this.losses.get(state) ?? 0) + 1;
    this.losses.set(state, losses);
    return losses > MOST_LOSSES;
  }

  /** Without an `end` the visit goes on to the page. `asked`: robots.txt was asked for. */
  private async passRobots(
    state: UrlState,
    url: CrawlUrl,
    host: Host,
    options: UrlOptions,
    waits: () => void,
  ): Promise<{ end?: PageResult | typeof PUT_BACK; asked?: boolean }> {
    const { definition, fetcher } = this.target.context;
    if (!this.obeysRobots(options)) return {};
    const answer = this.services.robots.ask(url, fetcher.robotsAgent);
    // Another crawler may have loaded it: each has sitemaps of its own in its frontier.
    if (answer.kind === 'allowed' || answer.kind === 'disallowed')
      await this.links.seedSitemaps(state, url, answer.entry);
    if (answer.kind === 'allowed') return {};
    if (answer.kind === 'disallowed') {
      const detail = `robots.txt forbids it to ${fetcher.robotsAgent}`;
      return { end: this.excluded(state, 'robots-disallowed', detail) };
    }
    if (answer.kind === 'unreachable') {
      this.services.hosts.backOff(host, milliseconds(answer.entry.policy.expiresAt - this.services.clock.now()));
      return { end: PUT_BACK };
    }
    const failure = await this.services.robots.load(url, host, {
      fetcher: definition.fetcher,
      throttle: this.delay(url, options),
      limit: requestsPerHost(definition),
      waits,
    });
    // The network failed before any page could be asked for: that is this URL's own outcome.
    if (failure) {
      return { asked: true, end: this.failedBeforeFetch(state, failure.code, failure.detail, failure.timings.total) };
    }
    return { asked: true, end: PUT_BACK };
  }

  private async judge(state: UrlState): Promise<Verdict> {
    const { policy } = this.target.context;
    const root = rootOf(this.target.context, state.root);
    const candidate = storedCandidate(state, crawlUrl(state.url), root);
    const verdict = policy.judge(candidate);
    if (!verdict.needsAddress) return verdict;
    const address = (await this.services.processor.resolve(candidate.url.host)) ?? null;
    return policy.judge({ ...candidate, address });
  }

  private obeysRobots(options: UrlOptions): boolean {
    return obeysRobots(this.target.context.definition, options);
  }

  private robotsAllow(url: CrawlUrl, options: UrlOptions): boolean {
    const agent = this.target.context.fetcher.robotsAgent;
    return !this.obeysRobots(options) || this.services.robots.ask(url, agent).kind === 'allowed';
  }

  /** Without a request, and for now: the next visit may find it otherwise. */
  private excluded(state: UrlState, reason: string, detail: string | undefined): PageResult {
    const outcome: PageOutcome = {
      kind: 'excluded',
      reason,
      detail,
      keepDocument: false,
      removeStatus: false,
      revisit: true,
    };
    return { ...this.emptyResult(state), outcome };
  }

  private failedBeforeFetch(
    state: UrlState,
    code: Extract<PageOutcome, { kind: 'error' }>['code'],
    detail: string,
    duration: Duration,
  ): PageResult {
    return { ...this.emptyResult(state), duration, outcome: { kind: 'error', code, detail: `robots.txt: ${detail}` } };
  }

  private emptyResult(state: UrlState): Omit<PageResult, 'outcome'> {
    return {
      id: state.id,
      crawler: state.crawler,
      links: [],
      refused: [],
      duration: milliseconds(0),
      bytes: 0,
      schedule: {},
    };
  }

  private delay(url: CrawlUrl, options: UrlOptions): Duration {
    const { definition, fetcher } = this.target.context;
    if (definition.aggressive) return options.throttle ?? milliseconds(0);
    const wanted = this.obeysRobots(options) ? this.services.robots.crawlDelay(url, fetcher.robotsAgent) : undefined;
    return requestDelay(options.throttle ?? definition.throttle, wanted);
  }

  private task(state: UrlState): PageTask {
    const { id, crawler, url, arrival, foundOn, root, hops, redirects, etag, lastModified, stamp, inheritedMetas } =
      this.services.doubts.suspect(state);
    const now = this.services.clock.now();
    const rereadLinks = state.lastVisitAt === undefined || state.lastVisitAt <= this.target.policySince();
    return {
      rereadLinks,
      sendBy: this.services.partitions.sendBy,
      id,
      crawler,
      url,
      arrival,
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

  private wantsProbe(host: Host): boolean {
    return this.target.context.definition.probeErrorPages && this.services.probes.isDue(host.key);
  }

  /** A login wall in front of pages that are known by their links alone is no outage: many sites have pages for members. */
  private noteHost(host: Host, { outcome, status }: PageResult, indexed: boolean): void {
    const rests =
      outcome.kind === 'error' && (concernsHost(outcome.code) || (outcome.code === 'login-wall' && indexed));
    if (rests) this.services.hosts.backOff(host, outcome.retryAfter);
    else if (status !== undefined) this.services.hosts.answered(host);
  }

  private async conclude(
    state: UrlState,
    host: Host,
    result: PageResult,
    fence: Fence,
    begun: Instant,
  ): Promise<Concluded> {
    const outcome = await this.target.documents.outcome(state, result.outcome);
    const now = this.services.clock.now();
    const { context } = this.target;
    const rules = {
      ...dispositionRules(context.definition, result.schedule, this.services.cron, now),
      visitPrice: host.visitPrice,
    };
    const disposition = this.services.doubts.dispose(state, outcome, rules, now);
    const price = pricedBy({ state, rules, changes: disposition.changes }, host, now);
    if (price !== undefined) {
      this.services.hosts.price(host, price);
      this.target.tally.price(price);
    }
    const visit = visitRecord(result, outcome, disposition.changed, now);
    this.note(state, result, visit);
    const document = result.outcome.kind === 'document' ? result.outcome.document : undefined;
    const changes = { ...disposition.changes, lastStatus: result.status ?? null };
    // Its links were judged by the policy before: as a visit of that time, it has the next one read them again.
    if (changes.lastVisitAt !== undefined && begun <= this.target.policySince()) changes.lastVisitAt = begun;
    return this.target.conclusion.conclude({
      state,
      fence,
      disposition: { ...disposition, changes },
      document,
      visit,
    });
  }

  private note(state: UrlState, result: PageResult, visit: Visit): void {
    const failed = result.outcome.kind === 'error';
    this.target.tally.visit(visit.outcome, failed, result.duration, result.bytes);
    this.services.health.note(state.hostKey, { outcome: visit.outcome, failed, duration: result.duration });
    const { crawler, url } = state;
    const { outcome, status, bytes, changed, duration } = visit;
    this.services.events.emit({ type: 'visit', crawler, url, outcome, status, bytes, changed, durationMs: duration });
  }
}

/** A link with what is known of it beside its URL, as long as it is on its way to the store. */
const LINK_BYTES = 256;

function bytesOf({ outcome, links, refused }: PageResult): number {
  const document = outcome.kind === 'document' ? outcome.document : undefined;
  let bytes = document ? document.master.bytes.byteLength + document.text.length : 0;
  for (const link of links) bytes += LINK_BYTES + link.url.length;
  for (const link of refused) bytes += link.url.length + link.hostKey.length;
  return bytes;
}

/** A URL that was excluded before any request has cost its host nothing. */
const hasAsked = ({ outcome, status }: PageResult): boolean => outcome.kind !== 'excluded' || status !== undefined;
