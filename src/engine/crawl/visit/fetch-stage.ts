/**
 * The part of a visit during which its host is claimed: policy, preconditions, request, and the pause that follows the
 * request.
 */
import { toVisitSchedule } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { computePauseAfterReading, SLOW_PAGE } from '../../../domain/politeness/politeness.js';
import { adaptPause, updatePace } from '../../../domain/politeness/server-pace.js';
import { type Duration, type Instant, milliseconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import { judgeUrl } from '../../page/judge-url.js';
import { createEmptyResult, createReadingFailure } from '../../page/page-outcome.js';
import type { Log } from '../../ports/log.js';
import { type PageProcessor, WorkLost } from '../../ports/page-processor.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import type { Redirects } from '../evidence/redirects.js';
import type { Frontier } from '../frontier/frontier.js';
import type { Gates } from '../frontier/gates.js';
import type { SiteMoves } from '../frontier/site-moves.js';
import { noteHostResponse } from '../hosts/host-responses.js';
import type { Host, Hosts } from '../hosts/hosts.js';
import type { Attempt } from './attempt.js';
import type { CookieChecks } from './cookie-checks.js';
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
  readonly frontier: Pick<Frontier, 'limitHost'>;
  readonly siteMoves: Pick<SiteMoves, 'review'>;
  readonly redirects: Pick<Redirects, 'look'>;
}

/** The request that a visit made to its host. */
interface HostRequest {
  /** The pause after it. */
  readonly pause: Duration;
  /** Time since it ended, if its result comes from another thread. */
  readonly age?: Duration;
  readonly bytes?: number;
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
    private readonly cookieChecks: Pick<CookieChecks, 'note'>,
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
    const result = await this.fetch(state, host, startedAt, onWait);
    if (result === PUT_BACK) return PUT_BACK;
    this.retries.endVisit(state);
    this.sessions.endVisit(state);
    return result;
  }

  /** The time until which the host would have rested if no one had requested the visit. */
  findRestEnd(state: UrlState): Instant | undefined {
    return this.restEnds.get(state);
  }

  private async fetch(
    state: UrlState,
    host: Host,
    startedAt: Instant,
    onWait: () => void,
  ): Promise<PageResult | typeof PUT_BACK> {
    let request: HostRequest | undefined;
    let ownPause = milliseconds(0);
    try {
      const judgement = judgeUrl(this.target.context, state, this.services.processor);
      const { verdict, exclusion } = judgement instanceof Promise ? await judgement : judgement;
      if (exclusion) return this.excludeUrl(state, host, exclusion);
      const attempt = this.createAttempt({ state, host, startedAt, effects: verdict.effects, onWait });
      this.target.frontier.limitHost(host.key, attempt.effects.options.concurrencyPerHost);
      const checked = this.preconditions.check(attempt);
      const { end, madeRequest } = checked instanceof Promise ? await checked : checked;
      const pause = this.preconditions.getDelay(attempt);
      ownPause = this.preconditions.getOwnDelay(attempt);
      if (madeRequest) request = { pause };
      if (end === PUT_BACK) return end;
      if (end) return { ...end, schedule: toVisitSchedule(attempt.effects) };
      const recorded = this.services.hosts.recordRequestStart(host, pause);
      if (recorded) await recorded;
      request = { pause };
      const response = await this.requests.send(attempt);
      request = hasMadeRequest(response) ? this.measureRequest(attempt, response, pause) : undefined;
      return request ? await this.reviewResponse(attempt, response) : response;
    } catch (error) {
      if (!(error instanceof WorkLost)) throw error;
      if (!this.recordLoss(state)) return PUT_BACK;
      const detail = `the thread that read the page ended ${MAX_LOSSES + 1} times: ${error.message}`;
      return createEmptyResult(state, createReadingFailure(detail));
    } finally {
      if (request) this.services.hosts.releaseAfterRequest(host, request.pause, request.age);
      else this.services.hosts.release(host);
      this.target.gates.noteFetched(state, host, request?.bytes ?? 0, ownPause);
    }
  }

  private excludeUrl(state: UrlState, host: Host, exclusion: PageOutcome): PageResult {
    const result = createEmptyResult(state, exclusion);
    noteHostResponse(this.services.hosts, host, result);
    return result;
  }

  private measureRequest(attempt: Attempt, response: PageResult, delay: Duration): HostRequest {
    const { host } = attempt;
    host.pace = updatePace(host.pace, response.duration, response.status);
    const adapted = adaptPause(delay, host.pace);
    const afterReading = this.extendPauseAfterReading(host, response, adapted);
    const pause = this.services.rendered.extendPause(afterReading, response);
    const ownCause = adapted > delay ? (host.pace.isFailing ? 'server-errors' : 'slow-responses') : undefined;
    const cause = pause > afterReading ? 'rendering' : afterReading > adapted ? 'reading' : ownCause;
    host.lastPause = { cause: cause ?? this.preconditions.getDelayCause(attempt), length: pause };
    const { age, bytes } = response;
    return { pause, age, bytes };
  }

  private async reviewResponse(attempt: Attempt, response: PageResult): Promise<PageResult | typeof PUT_BACK> {
    const { review, hosts } = this.services;
    const { state, host, isUrgent } = attempt;
    const sessionResult = await this.sessions.handleResponse(attempt, response);
    if (sessionResult !== response) review.forgetReportedLinks(response);
    if (sessionResult === 'again' || (await this.wantsRetry(attempt, sessionResult))) return PUT_BACK;
    const isCookieCheck = await this.cookieChecks.note(attempt, sessionResult);
    const mayProbe = !isUrgent && this.target.context.definition.probeErrorPages !== 'never';
    const reviewed = await review.review(state, sessionResult, { mayProbe, isCookieCheck });
    if (reviewed === 'again') return PUT_BACK;
    const { siteMoves, redirects } = this.target;
    const moved = await siteMoves.review(state, reviewed, attempt.startedAt);
    const result = await redirects.look(state, moved, attempt.startedAt);
    this.sessions.noteRead(attempt, result);
    // What the host has answered, whatever a session makes of it.
    const answer = sessionResult === response ? result : response;
    noteHostResponse(hosts, host, answer, { isIndexed: state.stamp !== undefined, isUrgent });
    return result;
  }

  private wantsRetry(attempt: Attempt, result: PageResult): false | Promise<boolean> {
    if (result.variant === undefined && !isRedirectLoop(result)) return false;
    return this.retries.prepareRetry(attempt, result, this.sessions.findJar(attempt));
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

  private createAttempt(begun: Pick<Attempt, 'state' | 'host' | 'startedAt' | 'effects' | 'onWait'>): Attempt {
    const { state, effects } = begun;
    const url = toCrawlUrl(effects.fetchUrl ?? this.retries.findRetry(state)?.variant ?? state.url);
    const login = this.sessions.findLogin(url.href, effects);
    return { ...begun, url, isUrgent: this.restEnds.has(state), login };
  }

  /** Records that the visit was lost; returns true if that has happened too often. */
  private recordLoss(state: UrlState): boolean {
    const losses = (this.losses.get(state) ?? 0) + 1;
    this.losses.set(state, losses);
    return losses > MAX_LOSSES;
  }
}
