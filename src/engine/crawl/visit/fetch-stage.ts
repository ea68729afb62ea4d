/**
 * The part of a visit during which its host is claimed: policy, preconditions, request, and the pause that follows the
 * request.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Verdict } from '../../../domain/policy/verdict.js';
import { computePauseAfterReading, SLOW_PAGE } from '../../../domain/politeness/politeness.js';
import { adaptPause, updatePace } from '../../../domain/politeness/server-pace.js';
import type { Duration, Instant } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { type CrawlContext, findRoot, toStoredCandidate } from '../../page/crawl-context.js';
import type { Log } from '../../ports/log.js';
import { type PageProcessor, WorkLost } from '../../ports/page-processor.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Gates } from '../frontier/gates.js';
import { noteHostResponse } from '../hosts/host-responses.js';
import type { Host, Hosts } from '../hosts/hosts.js';
import type { Attempt } from './attempt.js';
import type { PageRequests } from './page-requests.js';
import { hasMadeRequest, type Preconditions, PUT_BACK } from './preconditions.js';
import type { RenderedVisits } from './rendered-visits.js';
import type { ResultReview } from './result-review.js';
import type { Retries } from './retries.js';
import { isRedirectLoop, type VisitSessions } from './visit-sessions.js';

export interface FetchServices {
  readonly hosts: Hosts;
  readonly processor: Pick<PageProcessor, 'resolve'>;
  readonly rendered: Pick<RenderedVisits, 'extendPause'>;
  readonly review: ResultReview;
  readonly log: Log;
}

/** The crawler whose page is fetched. */
export interface FetchTarget {
  readonly context: CrawlContext;
  readonly gates: Pick<Gates, 'noteFetched'>;
  /** Sets the maximum number of requests in flight at the host; undefined for the crawler's limit. */
  limitHost(hostKey: string, limit: number | undefined): void;
}

/** A URL is put back after up to this many lost visits in a row; after more, the URL itself may be the cause. */
const MAX_LOSSES = 3;

export class FetchStage {
  private readonly losses = new WeakMap<UrlState, number>();
  /** Visits that a user requested while the host was resting, with the time until which it would have rested. */
  private readonly restEnds = new WeakMap<UrlState, Instant>();

  constructor(
    private readonly services: FetchServices,
    private readonly target: FetchTarget,
    private readonly preconditions: Preconditions,
    private readonly requests: PageRequests,
    private readonly retries: Retries,
    private readonly sessions: VisitSessions,
  ) {}

  /**
   * Fetches the page. The caller has claimed the host; the claim ends here.
   * @param onWait called when the visit has to wait for another host
   */
  async run(
    state: UrlState,
    host: Host,
    startedAt: Instant,
    onWait: () => void,
  ): Promise<PageResult | typeof PUT_BACK> {
    if (host.isResting(startedAt)) this.restEnds.set(state, host.politeness.backOffUntil);
    else this.restEnds.delete(state);
    const result = await this.fetch(state, host, onWait);
    if (result === PUT_BACK) return PUT_BACK;
    this.retries.endVisit(state);
    this.sessions.endVisit(state);
    return result;
  }

  /** The time until which the host would have rested if no one had requested the visit. */
  findRestEnd(state: UrlState): Instant | undefined {
    return this.restEnds.get(state);
  }

  private async fetch(state: UrlState, host: Host, onWait: () => void): Promise<PageResult | typeof PUT_BACK> {
    let pause: Duration | undefined;
    let age: Duration | undefined;
    let bytes = 0;
    try {
      const verdict = await this.judge(state);
      const attempt = this.createAttempt(state, host, verdict, onWait);
      this.target.limitHost(host.key, attempt.options.concurrencyPerHost);
      // The page processor rejects URLs that the policy excludes; then no request is sent to the host at all.
      if (verdict.accepted) {
        const { end, madeRequest } = await this.preconditions.check(attempt);
        if (madeRequest) pause = this.preconditions.getDelay(attempt);
        if (end !== undefined) return end;
        await this.services.hosts.recordRequestStart(host, this.preconditions.getDelay(attempt));
      }
      const delay = this.preconditions.getDelay(attempt);
      pause = delay;
      const response = await this.requests.send(attempt);
      ({ age, bytes } = response);
      if (hasMadeRequest(response)) host.pace = updatePace(host.pace, response.duration, response.status);
      const pauseAfterReading = this.extendPauseAfterReading(host, response, adaptPause(delay, host.pace));
      pause = this.services.rendered.extendPause(pauseAfterReading, response);
      const sessionResult = await this.sessions.handleResponse(attempt, response);
      if (sessionResult !== response) this.services.review.forgetReportedLinks(response);
      if (sessionResult === 'again' || (await this.wantsRetry(attempt, sessionResult, verdict))) return PUT_BACK;
      const result = await this.services.review.review(state, sessionResult);
      noteHostResponse(this.services.hosts, host, result, {
        isIndexed: state.stamp !== undefined,
        isUrgent: attempt.isUrgent,
      });
      if (!hasMadeRequest(result)) pause = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof WorkLost) || this.recordLoss(state)) throw error;
      return PUT_BACK;
    } finally {
      if (pause === undefined) this.services.hosts.release(host);
      else this.services.hosts.releaseAfterRequest(host, pause, age);
      this.target.gates.noteFetched(state, host, bytes);
    }
  }

  private wantsRetry(attempt: Attempt, result: PageResult, verdict: Verdict): false | Promise<boolean> {
    if (result.variant === undefined && !isRedirectLoop(result)) return false;
    return this.retries.prepareRetry(attempt, result, verdict, this.sessions.findJar(attempt));
  }

  /** If a page was slow to read, its host gets a longer pause, so that others get their share of the thread. */
  private extendPauseAfterReading(host: Host, { readingTime, outcome }: PageResult, delay: Duration): Duration {
    if (readingTime === undefined) return delay;
    const pause = computePauseAfterReading(delay, readingTime);
    if (readingTime > SLOW_PAGE) {
      host.slowPages++;
      const facts = { host: host.key, readingMs: readingTime, pauseMs: pause, outcome: outcome.kind };
      this.services.log.warn('reading a page took long, so its host is given a longer pause', facts);
    }
    return pause;
  }

  private createAttempt(state: UrlState, host: Host, { effects }: Verdict, onWait: () => void): Attempt {
    const url = toCrawlUrl(effects.fetchUrl ?? this.retries.findRetry(state)?.variant ?? state.url);
    const { options } = effects;
    const isUrgent = this.restEnds.has(state);
    const login = this.sessions.findLogin(url.href, options);
    return { state, host, url, options, createTask: () => this.requests.createTask(state), isUrgent, login, onWait };
  }

  /** Records that the visit was lost; returns true if that has happened too often. */
  private recordLoss(state: UrlState): boolean {
    const losses = (this.losses.get(state) ?? 0) + 1;
    this.losses.set(state, losses);
    return losses > MAX_LOSSES;
  }

  private async judge(state: UrlState): Promise<Verdict> {
    const { policy } = this.target.context;
    const url = toCrawlUrl(state.url);
    const candidate = toStoredCandidate(state, url, findRoot(this.target.context, state.root, url));
    const verdict = policy.judge(candidate);
    if (!verdict.needsAddress) return verdict;
    const address = (await this.services.processor.resolve(candidate.url.host)) ?? null;
    return policy.judge({ ...candidate, address });
  }
}
