/**
 * One active login: whether it is logged in, since when, and what happens when the session ends. Visits that need it
 * all wait for the same attempt. A login that was refused three times, or whose sessions do not last, is not tried again
 * until an operator requests it or its secret changes, because sites lock accounts.
 */
import type { LoginType } from '../../../domain/crawl/login-types.js';
import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import {
  after,
  type Duration,
  hours,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../domain/time/units.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type {
  LoginFailureKind,
  LoginMethod,
  LoginResult,
  LoginStepReport,
  SessionAnswer,
  SessionHealth,
  SessionVerdict,
} from '../../ports/login-method.js';
import { LoginBudget, type PacedEnvironment, PacedRequests } from './login-limits.js';
import { LogoutSuspects } from './logout-suspects.js';
import { RefusedAreas } from './refused-areas.js';

/** `stopped`: the login is not tried again until an operator tests it or its secret changes. */
export type LoginState = 'unused' | 'logged-in' | 'failing' | 'stopped';

export interface LoginStatus {
  readonly state: LoginState;
  readonly failure?: LoginFailureKind;
  /** The last error, in human-readable form. */
  readonly detail?: string;
  readonly lastSuccess?: Instant;
  readonly lastAttempt?: Instant;
  readonly nextAttempt?: Instant;
  /** Number of consecutive refusals. */
  readonly refused: number;
  /** The steps of the last attempt. */
  readonly steps: readonly LoginStepReport[];
  /** Number of successful logins since the start of the server. */
  readonly logins: number;
  /** When the site last turned out to have ended the session before its time. */
  readonly lastSessionEnd?: Instant;
  /** The page that probably ended it: the last one that was read before. */
  readonly lastSessionEndUrl?: string;
}

/** The part of a login that is stored across restarts. */
export interface LoginSnapshot {
  readonly refused: number;
  readonly stopped: boolean;
  readonly session?: string;
  /** When the login succeeded within the last hour. */
  readonly recent?: readonly Instant[];
  /** Pages that end the session, as far as visits have shown. */
  readonly logoutUrls?: readonly string[];
}

export interface LoginEnvironment extends PacedEnvironment {
  /** Called when the state has changed. */
  onChange(session: LoginSession, previousState: LoginState): void;
  /** Called when the login works again: pages that failed without it may be visited. */
  onRecovery(session: LoginSession): void;
}

const MAX_REFUSED = 3;
const REFUSAL_RETRY_DELAYS = [minutes(1), minutes(10)] as const;
const MIN_RETRY_DELAY = seconds(30);
const MAX_RETRY_DELAY = hours(1);
/** A token is renewed this long before it expires, or when half of its time is over. */
const RENEWAL_MARGIN = seconds(30);
/** How long one that no page was requested with is not renewed, beside the pause: its visit may wait for the host. */
const UNUSED_GRACE = minutes(1);
const MAX_STEPS = 30;
/** Requests for pages carry a session and not the secret: refusing them locks no account. */
const SESSION_TYPES: ReadonlySet<LoginType> = new Set<LoginType>(['form', 'browser', 'oauth2']);
/** The visit error codes that may be a certificate's fault. */
const HANDSHAKE_FAILURES: ReadonlySet<string> = new Set<ErrorCode>(['tls-client-certificate', 'tls-failed']);

/** What is known about a session: `alive`, `ended`, or why it could not be found out. */
export type SessionState = 'alive' | 'ended' | { readonly detail: string };

export class LoginSession {
  private currentStatus: LoginStatus = { state: 'unused', refused: 0, steps: [], logins: 0 };
  private runningAttempt: Promise<LoginResult> | undefined;
  private runningCheck: Promise<SessionState> | undefined;
  private nextCheck: Promise<SessionState> | undefined;
  private validUntil: Instant | undefined;
  /** Whether a page was requested since the last login. */
  private isUsed = false;
  private knownAliveAt: Instant | undefined;
  private failures = 0;
  /** Whether pages may have failed for want of this login; unknown after the start. */
  private hasFailed = true;
  private readonly budget: LoginBudget;
  readonly suspects = new LogoutSuspects();
  private readonly refusedAreas = new RefusedAreas();
  private readonly requests: PacedRequests;
  /** Counts logins, so that a response to a request made before the last login cannot end that login. */
  generation = 0;

  constructor(
    readonly definition: LoginDefinition,
    private readonly method: LoginMethod,
    private readonly environment: LoginEnvironment,
  ) {
    this.budget = new LoginBudget(definition.maxLoginsPerHour);
    this.requests = new PacedRequests(environment);
  }

  get name(): string {
    return this.definition.name;
  }

  get status(): LoginStatus {
    return this.currentStatus;
  }

  /**
   * Returns true if the URL must not be visited. A page that has been a document is one, whatever its URL looks like,
   * unless it ends the session.
   */
  isLoginPage(url: string, wasDocument: boolean): boolean {
    if (this.suspects.endsSessions(url) || this.method.isLogoutPage?.(url)) return true;
    return !wasDocument && (this.method.isLoginPage?.(url) ?? false);
  }

  /**
   * Logs in if necessary. Returns true, or why the login failed; a promise only if a request is needed.
   * @param pause between two requests to a host
   */
  ensureReady(pause = milliseconds(0)): true | string | Promise<true | string> {
    const now = this.environment.now();
    const { state, nextAttempt } = this.currentStatus;
    if (this.runningAttempt) return this.runningAttempt.then((result) => this.toReadiness(result));
    const grace = this.isUsed ? milliseconds(0) : milliseconds(pause + UNUSED_GRACE);
    const isDue = this.validUntil !== undefined && now >= after(this.validUntil, grace);
    if (state === 'logged-in' && !isDue) return true;
    if (state === 'stopped') return this.describeFailure();
    if (state === 'failing' && nextAttempt !== undefined && now < nextAttempt) return this.describeFailure();
    const isRenewal = state === 'logged-in' && isDue;
    if (!isRenewal && !this.isWithinBudget(now)) return this.describeFailure();
    this.requests.setPause(pause);
    return this.attempt(isRenewal).then((result) => this.toReadiness(result));
  }

  /**
   * To be called when a page is refused although the login works.
   * @param challenge the WWW-Authenticate header of the response
   * @param isIndexed whether the last visit of the page went well
   */
  noteRefusal(url: string, challenge: string | undefined, isIndexed: boolean): void {
    if (!SESSION_TYPES.has(this.definition.type)) this.refusedAreas.note(url, challenge, isIndexed);
  }

  /** Whether the page must not be requested, because its request would be one more failed attempt at the site. */
  isRefusedAt(url: string, isIndexed: boolean): boolean {
    return this.refusedAreas.isClosed(url, isIndexed);
  }

  /** Logs in at once, on behalf of an operator; joins an attempt that is already running. */
  async test(): Promise<LoginStatus> {
    this.budget.clear();
    this.refusedAreas.clear();
    this.requests.setPause(milliseconds(0));
    await (this.runningAttempt ?? this.attempt(true));
    return this.currentStatus;
  }

  getSession(url: string): RequestSession | Promise<RequestSession> {
    this.isUsed = true;
    return this.method.getSession(url);
  }

  /** Returns what the login adds to a request, together with its name, even before it has been tried. */
  async getUntriedSession(url: string): Promise<RequestSession> {
    return { ...(await this.method.getSession(url)), login: this.name };
  }

  async judgeResponse(response: SessionAnswer): Promise<SessionVerdict> {
    this.requests.noteRequest(response.url);
    return this.method.judgeResponse(response);
  }

  /**
   * Asks whether the session is alive, once for all visits that wait for the same answer.
   * @param pause between two requests to a host
   * @param maxAge how old an earlier answer may be; by default, the check begins after the call
   */
  check(pause: Duration, maxAge = milliseconds(0)): SessionState | Promise<SessionState> {
    const { knownAliveAt } = this;
    if (this.currentStatus.state !== 'logged-in' || !this.method.verify) return 'ended';
    if (maxAge > 0 && knownAliveAt !== undefined && this.environment.now() < after(knownAliveAt, maxAge))
      return 'alive';
    this.requests.setPause(pause);
    if (!this.runningCheck) return this.startCheck();
    // The running check may have got its answer before the page of this call was requested.
    this.nextCheck ??= this.runningCheck.then(() => {
      this.nextCheck = undefined;
      return this.startCheck();
    });
    return this.nextCheck;
  }

  /** Whether the session can be checked without logging in again. */
  get canCheck(): boolean {
    return this.method.verify !== undefined;
  }

  showsToStrangers(status: number): boolean {
    return this.method.showsToStrangers?.(status) ?? false;
  }

  /**
   * To be called when no connection could be made. Returns true if the handshake failed, which is the login's fault:
   * its certificate has expired or the server no longer accepts it.
   */
  noteFailedHandshake(code: string): boolean {
    if (!this.isFailedHandshake(code)) return false;
    this.noteSessionEnd();
    return true;
  }

  isFailedHandshake(code: string): boolean {
    return this.definition.type === 'certificate' && HANDSHAKE_FAILURES.has(code);
  }

  async restore({ refused, stopped, session, recent = [], logoutUrls = [] }: LoginSnapshot): Promise<void> {
    const detail = 'refused before the restart, or at another server; test the login or change its secret';
    this.budget.restore(recent);
    this.suspects.restore(logoutUrls);
    if (stopped) this.currentStatus = { ...this.currentStatus, state: 'stopped', failure: 'refused', refused, detail };
    else this.currentStatus = { ...this.currentStatus, refused };
    if (session === undefined) return;
    await this.method.restore?.(session);
    this.currentStatus = { ...this.currentStatus, state: 'logged-in' };
  }

  toSnapshot(): LoginSnapshot {
    const { refused, state } = this.currentStatus;
    const session = state === 'logged-in' ? this.method.save?.() : undefined;
    const [recent, logoutUrls] = [this.budget.save(), this.suspects.save()];
    return {
      refused,
      stopped: state === 'stopped',
      session,
      ...(recent.length === 0 ? {} : { recent }),
      ...(logoutUrls.length === 0 ? {} : { logoutUrls }),
    };
  }

  /**
   * @param generation that of the request whose response shows it
   * @param url the page whose visit shows it
   */
  noteSessionEnd(generation = this.generation, url?: string): void {
    if (generation !== this.generation || this.currentStatus.state !== 'logged-in') return;
    const lastSessionEndUrl = this.suspects.noteSessionEnd(url);
    this.setStatus({
      ...this.currentStatus,
      state: 'unused',
      lastSessionEnd: this.environment.now(),
      lastSessionEndUrl,
    });
  }

  private startCheck(): Promise<SessionState> {
    const { generation } = this;
    this.runningCheck = this.verify().then((result) => {
      this.runningCheck = undefined;
      if (result.kind === 'in') {
        this.knownAliveAt = this.environment.now();
        this.reportRecovery();
        return 'alive';
      }
      if (generation !== this.generation || result.kind === 'ended') return 'ended';
      const isRefused = result.kind === 'refused' || result.kind === 'locked';
      this.hasFailed = true;
      if (isRefused) this.noteFailure(result, this.environment.now(), []);
      return { detail: isRefused ? this.describeFailure() : `login ${this.name}: ${result.detail}` };
    });
    return this.runningCheck;
  }

  private async verify(): Promise<SessionHealth> {
    try {
      const { now } = this.environment;
      return await this.method.verify!({ fetch: this.requests.fetch, now, report: () => undefined });
    } catch (error) {
      return { kind: 'unreachable', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  private isWithinBudget(now: Instant): boolean {
    const nextAttempt = this.budget.findNextAttempt(now);
    if (nextAttempt === undefined) return true;
    this.hasFailed = true;
    const { maxLoginsPerHour: most } = this.definition;
    if (nextAttempt !== 'never') {
      this.setStatus({ ...this.currentStatus, state: 'failing', nextAttempt });
      return false;
    }
    const detail = `the login worked ${most} times within an hour, but the site ended each session`;
    this.setStatus({ ...this.currentStatus, state: 'stopped', failure: 'repeated', detail });
    return false;
  }

  private toReadiness(result: LoginResult): true | string {
    return result.kind === 'in' ? true : this.describeFailure();
  }

  private describeFailure(): string {
    const { state, detail = 'the login failed' } = this.currentStatus;
    const ending = state === 'stopped' ? '; Crawlway will not retry it until it is tested or its secret changes' : '';
    return `login ${this.name}: ${detail}${ending}`;
  }

  private attempt(isFree = false): Promise<LoginResult> {
    this.runningAttempt = this.logIn(isFree).finally(() => {
      this.runningAttempt = undefined;
    });
    return this.runningAttempt;
  }

  /** @param isFree whether a success does not count towards the maximum number of logins */
  private async logIn(isFree: boolean): Promise<LoginResult> {
    const steps: LoginStepReport[] = [];
    const { now } = this.environment;
    const report = (step: LoginStepReport): void => {
      if (steps.length < MAX_STEPS) steps.push(step);
    };
    const lastAttempt = now();
    let result: LoginResult;
    try {
      result = await this.method.login({ fetch: this.requests.fetch, now, report });
    } catch (error) {
      result = { kind: 'unreachable', detail: error instanceof Error ? error.message : String(error) };
    }
    if (result.kind !== 'in' || !isFree) this.budget.record(lastAttempt, result.kind === 'in');
    if (result.kind === 'in') this.noteSuccess(result, lastAttempt, steps);
    else this.noteFailure(result, lastAttempt, steps);
    return result;
  }

  private noteSuccess({ until }: { until?: Instant }, lastAttempt: Instant, steps: LoginStepReport[]): void {
    this.generation++;
    this.failures = 0;
    this.isUsed = false;
    const lastSuccess = this.environment.now();
    const margin = until === undefined ? 0 : Math.max(0, Math.min(RENEWAL_MARGIN, (until - lastSuccess) / 2));
    this.validUntil = until === undefined ? undefined : after(until, -margin as Duration);
    this.knownAliveAt = this.canCheck ? lastSuccess : undefined;
    const { lastSessionEnd, lastSessionEndUrl, logins } = this.currentStatus;
    const ends = { lastSessionEnd, lastSessionEndUrl };
    this.setStatus({ ...ends, state: 'logged-in', refused: 0, lastSuccess, lastAttempt, steps, logins: logins + 1 });
    this.reportRecovery();
  }

  private reportRecovery(): void {
    const hadFailed = this.hasFailed;
    this.hasFailed = false;
    if (hadFailed) this.environment.onRecovery(this);
  }

  private noteFailure(
    { kind, detail }: { kind: LoginFailureKind; detail: string },
    lastAttempt: Instant,
    steps: LoginStepReport[],
  ): void {
    this.hasFailed = true;
    const refused = this.currentStatus.refused + (kind === 'refused' || kind === 'locked' ? 1 : 0);
    const { nextAttempt: _, ...current } = this.currentStatus;
    const common = { ...current, failure: kind, detail, refused, lastAttempt, steps };
    if (kind === 'locked' || refused >= MAX_REFUSED) {
      this.setStatus({ ...common, state: 'stopped' });
      return;
    }
    const delay =
      kind === 'refused'
        ? REFUSAL_RETRY_DELAYS[Math.min(refused, REFUSAL_RETRY_DELAYS.length) - 1]!
        : (Math.min(MIN_RETRY_DELAY * 2 ** this.failures++, MAX_RETRY_DELAY) as Duration);
    this.setStatus({ ...common, state: 'failing', nextAttempt: after(this.environment.now(), delay) });
  }

  private setStatus(status: LoginStatus): void {
    const previousState = this.currentStatus.state;
    this.currentStatus = status;
    this.environment.onChange(this, previousState);
  }
}
