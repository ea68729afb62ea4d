/**
 * The conditions that must hold before a page is requested, checked in the order of the list. To add one, see
 * docs/architecture.md, "Seams".
 */
import { createExclusion } from '../../../domain/crawl/exclusion.js';
import type { UrlOptions } from '../../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { USER } from '../../../domain/frontier/sources.js';
import type { Effects } from '../../../domain/policy/verdict.js';
import { computeRequestDelay, getMaxRequestsPerHost } from '../../../domain/politeness/politeness.js';
import type { HostPause } from '../../../domain/politeness/server-pace.js';
import { atLeast, between, type Duration, milliseconds, seconds } from '../../../domain/time/units.js';
import { type CrawlUrl, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { findFetcher } from '../../page/crawl-context.js';
import { judgeUrl } from '../../page/judge-url.js';
import { createEmptyResult, createFailure } from '../../page/page-outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageResult, PageTask } from '../../ports/page-task.js';
import type { Tracing } from '../../ports/tracing.js';
import { ENDLESS_REASON } from '../evidence/endless-links.js';
import type { Gates } from '../frontier/gates.js';
import type { ErrorPageProbes } from '../hosts/error-page-probes.js';
import { noteHostResponse } from '../hosts/host-responses.js';
import type { Hosts } from '../hosts/hosts.js';
import { obeysRobots, type RobotsGate } from '../hosts/robots-gate.js';
import type { Quotas } from '../load/quotas.js';
import type { LoginSession } from '../logins/login-session.js';
import type { Attempt } from './attempt.js';
import type { FoundLinks, LinkTarget } from './link-stage.js';
import type { RenderedVisits } from './rendered-visits.js';
import { REPEATED_TEXT } from './same-texts.js';

/** The URL was not visited and returns to the head of its queue. */
export const PUT_BACK = Symbol('put back');

/**
 * Without an `end`, the visit continues. `madeRequest` is true if a request was sent to the host, so that a pause follows.
 */
export interface PreconditionResult {
  readonly end?: PageResult | typeof PUT_BACK;
  readonly madeRequest?: boolean;
}

const CONTINUE: PreconditionResult = {};

/** Maximum age of the check before the visit of a page that may have ended a session. */
const TRIAL_MAX_AGE = seconds(10);

export interface PreconditionServices {
  readonly robots: RobotsGate;
  readonly probes: Pick<ErrorPageProbes, 'isDue' | 'isSuspected' | 'probe' | 'isAnswerWanted' | 'askForAnswer'>;
  readonly hosts: Hosts;
  readonly processor: Pick<PageProcessor, 'resolve'>;
  readonly rendered: Pick<RenderedVisits, 'needsBrowser'>;
  readonly quotas: Pick<Quotas, 'findReached' | 'endOfToday'>;
  readonly clock: Clock;
  readonly tracing: Pick<Tracing, 'tracePart'>;
}

/** The crawler whose pages are requested. */
export type PreconditionTarget = LinkTarget & { readonly gates: Pick<Gates, 'getThrottle'> };

type Precondition = (attempt: Attempt) => PreconditionResult | Promise<PreconditionResult>;

export class Preconditions {
  private readonly conditions: readonly Precondition[] = [
    (attempt) => this.checkEndlessPattern(attempt),
    (attempt) => (this.findUsedUpQuota(attempt) ? this.checkRenderQuota(attempt) : CONTINUE),
    (attempt) => this.services.tracing.tracePart('robots', () => this.checkRobotsTxt(attempt)),
    (attempt) => this.checkErrorPageProbe(attempt),
    (attempt) => this.checkLogin(attempt),
  ];

  constructor(
    private readonly services: PreconditionServices,
    private readonly target: PreconditionTarget,
    private readonly links: FoundLinks,
  ) {}

  /**
   * Checks the conditions until one ends the visit; most visits need not wait for any.
   * @param first the index of the first condition to check
   */
  check(attempt: Attempt, first = 0): PreconditionResult | Promise<PreconditionResult> {
    for (let i = first; i < this.conditions.length; i++) {
      const result = this.conditions[i]!(attempt);
      if (result instanceof Promise)
        return result.then((awaited) => (awaited.end === undefined ? this.check(attempt, i + 1) : awaited));
      if (result.end !== undefined) return result;
    }
    return CONTINUE;
  }

  /** The pause after a request for the URL. */
  getDelay(attempt: Pick<Attempt, 'host' | 'url' | 'effects'>): Duration {
    return atLeast(this.getConfiguredDelay(attempt), this.target.gates.getThrottle(attempt.host.key));
  }

  /** The part of the delay that the configuration asks for. */
  getOwnDelay({ host, effects }: Pick<Attempt, 'host' | 'effects'>): Duration {
    return atLeast(this.getThrottle(effects), this.target.gates.getThrottle(host.key));
  }

  private getThrottle({ options }: Attempt['effects']): Duration {
    const { aggressive, throttle } = this.target.context.definition;
    return options.throttle ?? (aggressive ? milliseconds(0) : throttle);
  }

  getDelayCause(attempt: Pick<Attempt, 'host' | 'url' | 'effects'>): HostPause['cause'] {
    const delay = this.getConfiguredDelay(attempt);
    if (this.target.gates.getThrottle(attempt.host.key) > delay) return 'schedule';
    return delay > this.getThrottle(attempt.effects) ? 'robots' : 'crawler';
  }

  private getConfiguredDelay({ url, effects }: Pick<Attempt, 'url' | 'effects'>): Duration {
    const { options } = effects;
    const throttle = this.getThrottle(effects);
    if (this.target.context.definition.aggressive) return throttle;
    const robotsDelay = this.obeysRobots(options)
      ? this.services.robots.findCrawlDelay(url, this.getRobotsAgent(options))
      : undefined;
    return computeRequestDelay(throttle, robotsDelay);
  }

  /** Returns what robots.txt says about the use of the page; undefined if it says nothing or is not obeyed. */
  findPreferences({ url, effects: { options } }: Pick<Attempt, 'url' | 'effects'>): PageTask['robotsPreferences'] {
    return this.obeysRobots(options)
      ? this.services.robots.findPreferences(url, this.getRobotsAgent(options))
      : undefined;
  }

  private checkEndlessPattern({ state }: Attempt): PreconditionResult | Promise<PreconditionResult> {
    const { endless, sameTexts } = this.target;
    if (sameTexts.isInTrap(state)) return this.checkRepeatedText(state);
    if (!endless.shouldSkip(state)) return CONTINUE;
    return {
      end: createEmptyResult(state, createExclusion(ENDLESS_REASON, endless.findObjection(state.hostKey, state.url))),
    };
  }

  private async checkRepeatedText(state: UrlState): Promise<PreconditionResult> {
    if (!(await this.target.sameTexts.isBelowRepeated(state))) return CONTINUE;
    const detail = `it was found on ${state.foundOn}, which repeats the text of another document`;
    return { end: createEmptyResult(state, createExclusion(REPEATED_TEXT, detail)) };
  }

  private findUsedUpQuota = ({ state }: Attempt) => this.services.quotas.findReached(state.crawler, 'rendering');

  private async checkRenderQuota(attempt: Attempt): Promise<PreconditionResult> {
    const { rendered, quotas, clock } = this.services;
    if (!(await rendered.needsBrowser(attempt, this.target.context.definition.render))) return CONTINUE;
    const failure = createFailure(
      'quota-rendering',
      `quota ${this.findUsedUpQuota(attempt)?.name} has no rendering minutes left today`,
    );
    return {
      end: createEmptyResult(attempt.state, { ...failure, retryAfter: between(clock.now(), quotas.endOfToday) }),
    };
  }

  private checkRobotsTxt(attempt: Attempt): PreconditionResult | Promise<PreconditionResult> {
    const { state, url, host, effects } = attempt;
    const { options } = effects;
    if (!this.obeysRobots(options)) return CONTINUE;
    const agent = this.getRobotsAgent(options);
    const decision = this.services.robots.checkUrl(url, agent);
    if (decision.kind === 'unknown') return this.loadRobotsTxt(attempt);
    // A user who requests a visit wants the current response, whether the host has begun to rest or not.
    const isRequested = attempt.isUrgent || state.source === USER;
    if (decision.kind === 'unreachable' && isRequested) return this.loadRobotsTxt(attempt);
    if (decision.kind === 'unreachable') {
      this.services.hosts.backOff(host, milliseconds(decision.entry.policy.expiresAt - this.services.clock.now()));
      return { end: PUT_BACK };
    }
    // Another crawler may have loaded robots.txt; this one still needs its sitemaps in its own frontier.
    const seeding = this.links.seedSitemaps(state, url, decision.entry);
    const gate: PreconditionResult =
      decision.kind === 'allowed'
        ? CONTINUE
        : {
            end: createEmptyResult(state, createExclusion('robots-disallowed', `robots.txt disallows it for ${agent}`)),
          };
    return seeding ? seeding.then(() => gate) : gate;
  }

  private async loadRobotsTxt(attempt: Attempt): Promise<PreconditionResult> {
    const { state, url, host, effects, onWait } = attempt;
    const failure = await this.services.robots.load(url, host, {
      fetcher: findFetcher(this.target.context, effects.options).name,
      options: effects.options,
      throttle: this.getDelay(attempt),
      limit: getMaxRequestsPerHost(this.target.context.definition),
      onWait,
    });
    const { login } = attempt;
    if (failure && login?.noteFailedHandshake(failure.code))
      return {
        madeRequest: true,
        end: createLoginFailure(state, `login ${login.name}: ${failure.detail}`),
      };
    // The network failed before any page could be requested: that is also this URL's outcome.
    return { madeRequest: true, end: failure ? createRobotsFailure(state, failure) : PUT_BACK };
  }

  private checkErrorPageProbe(attempt: Attempt): PreconditionResult | Promise<PreconditionResult> {
    const { host, isUrgent } = attempt;
    const { probes } = this.services;
    if (isUrgent) return CONTINUE;
    const isWanted = probes.isAnswerWanted(host.key);
    if (!isWanted && !this.isProbeDue(host.key)) return CONTINUE;
    // Another visit is probing: wait for its result.
    return host.waitsForResponse
      ? { end: PUT_BACK }
      : this.probe(attempt, isWanted ? probes.askForAnswer : probes.probe);
  }

  private isProbeDue(hostKey: string): boolean {
    const { probeErrorPages } = this.target.context.definition;
    if (probeErrorPages === 'when-suspected') return this.services.probes.isSuspected(hostKey);
    return probeErrorPages === 'always' && this.services.probes.isDue(hostKey);
  }

  private async probe(attempt: Attempt, send: ErrorPageProbes['probe']): Promise<PreconditionResult> {
    const { state, host } = attempt;
    const { probes, hosts } = this.services;
    const delay = this.getDelay(attempt);
    const probeResult = await send.call(probes, state, host, { delay, judge: (href) => this.judgeProbe(href, state) });
    if (probeResult) noteHostResponse(hosts, host, probeResult);
    return { madeRequest: probeResult && hasMadeRequest(probeResult), end: PUT_BACK };
  }

  /** Returns what the policy and robots.txt grant the URL; undefined if they do not allow it to be requested. */
  private async judgeProbe(url: string, { root, hops }: UrlState): Promise<Effects | undefined> {
    const { context } = this.target;
    const { verdict, exclusion } = await judgeUrl(
      context,
      { url, discoveredVia: 'link', root, hops },
      this.services.processor,
    );
    const { effects } = verdict;
    return !exclusion && this.isAllowedByRobots(toCrawlUrl(url), effects.options) ? effects : undefined;
  }

  /**
   * All visits wait for the same login attempt; while logins fail, no request is sent to the host. A login is followed
   * by the pause of its host like any other request.
   */
  private checkLogin(attempt: Attempt): PreconditionResult | Promise<PreconditionResult> {
    const { state, url, login } = attempt;
    if (!login) return CONTINUE;
    if (login.isLoginPage(url.href, state.stamp !== undefined))
      return { end: createEmptyResult(state, createExclusion('login-page', `a page of the login ${login.name}`)) };
    const toEnd = (reason: string): PreconditionResult => ({ end: createLoginFailure(state, reason) });
    if (login.isRefusedAt(url.href, state.status === 'indexed'))
      return toEnd(`login ${login.name}: pages there refuse it; they are not requested until the login is tested`);
    const ready = login.ensureReady(this.getDelay(attempt));
    if (ready instanceof Promise)
      return ready.then((result) => (result === true ? { madeRequest: true, end: PUT_BACK } : toEnd(result)));
    if (ready !== true) return toEnd(ready);
    return login.suspects.isSuspect(url.href) ? this.startTrial(attempt, login) : CONTINUE;
  }

  /** A page that may have ended a session is requested only in one that is certainly alive. */
  private async startTrial(attempt: Attempt, login: LoginSession): Promise<PreconditionResult> {
    const { href } = attempt.url;
    const session = await login.check(this.getDelay(attempt), TRIAL_MAX_AGE);
    if (session === 'alive') login.suspects.startTrial(href);
    if (session !== 'ended') return CONTINUE;
    login.noteSessionEnd();
    return { madeRequest: true, end: PUT_BACK };
  }

  private obeysRobots(options: UrlOptions): boolean {
    return obeysRobots(this.target.context.definition, options);
  }

  private getRobotsAgent(options: UrlOptions): string {
    return findFetcher(this.target.context, options).robotsAgent;
  }

  private isAllowedByRobots(url: CrawlUrl, options: UrlOptions): boolean {
    return (
      !this.obeysRobots(options) || this.services.robots.checkUrl(url, this.getRobotsAgent(options)).kind === 'allowed'
    );
  }
}

/** False if a plug-in excluded the URL before any request, which cost its host nothing. */
export const hasMadeRequest = ({ outcome, status }: PageResult): boolean =>
  outcome.kind !== 'excluded' || status !== undefined;

const createLoginFailure = (state: UrlState, detail: string): PageResult =>
  createEmptyResult(state, createFailure('login-failed', detail));

type Failure = Extract<Awaited<ReturnType<RobotsGate['load']>>, object>;

const createRobotsFailure = (state: UrlState, { code, detail, timings }: Failure): PageResult => ({
  ...createEmptyResult(state, createFailure(code, `robots.txt: ${detail}`)),
  duration: timings.total,
});
