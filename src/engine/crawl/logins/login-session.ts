/**
 * One active login: whether it is logged in, since when, and what happens when the session ends. Visits that need it
 * all wait for the same attempt. A login that was refused three times is not tried again until an operator requests it
 * or its secret changes, because sites lock accounts.
 */
import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import { after, type Duration, hours, type Instant, minutes, seconds } from '../../../domain/time/units.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type {
  LoginFailureKind,
  LoginMethod,
  LoginResult,
  LoginStepReport,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../ports/login-method.js';

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
}

/** The part of a login that is stored across restarts. */
export interface LoginSnapshot {
  readonly refused: number;
  readonly stopped: boolean;
  readonly session?: string;
}

export interface LoginEnvironment {
  readonly fetch: LoginTools['fetch'];
  readonly now: () => Instant;
  /** Called when the state has changed. */
  onChange(session: LoginSession, previousState: LoginState): void;
}

export const MAX_REFUSED = 3;
const REFUSAL_RETRY_DELAYS = [minutes(1), minutes(10)] as const;
const MIN_RETRY_DELAY = seconds(30);
const MAX_RETRY_DELAY = hours(1);
/** A token is renewed this long before it expires. */
const RENEWAL_MARGIN = seconds(30);
const MAX_STEPS = 30;
/** The visit error codes that may be a certificate's fault. */
const HANDSHAKE_FAILURES: ReadonlySet<string> = new Set<ErrorCode>(['tls-client-certificate', 'tls-failed']);

export class LoginSession {
  private currentStatus: LoginStatus = { state: 'unused', refused: 0, steps: [] };
  private runningAttempt: Promise<LoginResult> | undefined;
  private validUntil: Instant | undefined;
  private failures = 0;
  /** Counts logins, so that a response to a request made before the last login cannot end that login. */
  generation = 0;
  /** True if a page has been served since the last login. */
  confirmed = false;

  constructor(
    readonly definition: LoginDefinition,
    private readonly method: LoginMethod,
    private readonly environment: LoginEnvironment,
  ) {}

  get name(): string {
    return this.definition.name;
  }

  get status(): LoginStatus {
    return this.currentStatus;
  }

  isLoginPage(url: string): boolean {
    return this.method.isLoginPage?.(url) ?? false;
  }

  /** Logs in if necessary. Returns true, or why the login failed; a promise only if a request is needed. */
  ensureReady(): true | string | Promise<true | string> {
    const now = this.environment.now();
    const { state, nextAttempt } = this.currentStatus;
    if (this.runningAttempt) return this.runningAttempt.then((result) => this.toReadiness(result));
    if (state === 'logged-in' && (this.validUntil === undefined || now < this.validUntil)) return true;
    if (state === 'stopped') return this.describeFailure();
    if (state === 'failing' && nextAttempt !== undefined && now < nextAttempt) return this.describeFailure();
    return this.attempt().then((result) => this.toReadiness(result));
  }

  /** Logs in at once, on behalf of an operator; joins an attempt that is already running. */
  async test(): Promise<LoginStatus> {
    await (this.runningAttempt ?? this.attempt());
    return this.currentStatus;
  }

  getSession(url: string): RequestSession | Promise<RequestSession> {
    return this.method.getSession(url);
  }

  /** Returns what the login adds to a request, together with its name, even before it has been tried. */
  async getUntriedSession(url: string): Promise<RequestSession> {
    return { ...(await this.method.getSession(url)), login: this.name };
  }

  async judgeResponse(response: SessionAnswer, generation: number): Promise<SessionVerdict> {
    const verdict = await this.method.judgeResponse(response);
    if (verdict === 'fine') {
      if (response.status < 400) this.confirmed = true;
    } else if (verdict === 'ended') this.noteSessionEnd(generation);
    return verdict;
  }

  /**
   * To be called when no connection could be made. Returns true if the handshake failed, which is the login's fault:
   * its certificate has expired or the server no longer accepts it.
   */
  noteFailedHandshake(code: string, generation = this.generation): boolean {
    if (this.definition.type !== 'certificate' || !HANDSHAKE_FAILURES.has(code)) return false;
    this.noteSessionEnd(generation);
    return true;
  }

  async restore({ refused, stopped, session }: LoginSnapshot): Promise<void> {
    const detail = 'refused before the restart; test the login or change its secret';
    if (stopped) this.currentStatus = { state: 'stopped', failure: 'refused', refused, detail, steps: [] };
    else this.currentStatus = { ...this.currentStatus, refused };
    if (session === undefined || stopped) return;
    await this.method.restore?.(session);
    this.currentStatus = { ...this.currentStatus, state: 'logged-in' };
  }

  toSnapshot(): LoginSnapshot {
    const { refused, state } = this.currentStatus;
    return { refused, stopped: state === 'stopped', session: state === 'logged-in' ? this.method.save?.() : undefined };
  }

  private noteSessionEnd(generation: number): void {
    if (generation === this.generation && this.currentStatus.state === 'logged-in')
      this.setStatus({ ...this.currentStatus, state: 'unused' });
  }

  private toReadiness(result: LoginResult): true | string {
    return result.kind === 'in' ? true : this.describeFailure();
  }

  private describeFailure(): string {
    const { state, detail = 'the login failed' } = this.currentStatus;
    const ending = state === 'stopped' ? '; Crawlway will not retry it until it is tested or its secret changes' : '';
    return `login ${this.name}: ${detail}${ending}`;
  }

  private attempt(): Promise<LoginResult> {
    this.runningAttempt = this.logIn().finally(() => {
      this.runningAttempt = undefined;
    });
    return this.runningAttempt;
  }

  private async logIn(): Promise<LoginResult> {
    const steps: LoginStepReport[] = [];
    const { fetch, now } = this.environment;
    const report = (step: LoginStepReport): void => {
      if (steps.length < MAX_STEPS) steps.push(step);
    };
    const lastAttempt = now();
    let result: LoginResult;
    try {
      result = await this.method.login({ fetch, now, report });
    } catch (error) {
      result = { kind: 'unreachable', detail: error instanceof Error ? error.message : String(error) };
    }
    if (result.kind === 'in') this.noteSuccess(result, lastAttempt, steps);
    else this.noteFailure(result, lastAttempt, steps);
    return result;
  }

  private noteSuccess({ until }: { until?: Instant }, lastAttempt: Instant, steps: LoginStepReport[]): void {
    this.generation++;
    this.confirmed = false;
    this.failures = 0;
    this.validUntil = until === undefined ? undefined : after(until, -RENEWAL_MARGIN as Duration);
    this.setStatus({ state: 'logged-in', refused: 0, lastSuccess: this.environment.now(), lastAttempt, steps });
  }

  private noteFailure(
    { kind, detail }: { kind: LoginFailureKind; detail: string },
    lastAttempt: Instant,
    steps: LoginStepReport[],
  ): void {
    const { lastSuccess } = this.currentStatus;
    const refused = this.currentStatus.refused + (kind === 'refused' || kind === 'locked' ? 1 : 0);
    const common = { failure: kind, detail, refused, lastSuccess, lastAttempt, steps };
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
