/**
 * One way to log in, for one configured login: what it sends, how it interprets the responses, and what it remembers.
 * The engine decides when (once for all waiting visits) and how often; see crawl/logins/login-session.ts.
 */
import type { LoginDefinition } from '../../domain/crawl/logins.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { Instant } from '../../domain/time/units.js';
import type { FetchRequest, RequestSession } from './fetcher.js';

/** A human-readable report on one step of a login; contains no secrets. */
export interface LoginStepReport {
  readonly what: string;
  readonly url?: string;
  readonly status?: number;
  readonly detail?: string;
}

/**
 * refused: the site does not accept the credentials; locked: it says that the account is locked; changed: the page is
 * not what the configuration expects; unreachable: there was no usable response, which says nothing about the
 * credentials; repeated: the login works, but its sessions end again and again.
 */
export type LoginFailureKind = 'refused' | 'locked' | 'changed' | 'unreachable' | 'repeated';

export type LoginResult =
  | { readonly kind: 'in' /** When the login must be renewed. */; readonly until?: Instant }
  | { readonly kind: LoginFailureKind; readonly detail: string };

/** `in`: the session is alive; `ended`: a new login is needed. Otherwise, nothing is known about it. */
export type SessionHealth = LoginResult | { readonly kind: 'ended' };

export interface LoginTools {
  fetch(request: Omit<FetchRequest, 'fetcher'>): Promise<FetchOutcome>;
  now(): Instant;
  report(step: LoginStepReport): void;
}

/** The parts of a response that matter to the session of its request. */
export interface SessionAnswer {
  readonly url: string;
  readonly status: number;
  /** Absolute URL of a redirect's target. */
  readonly location?: string;
  /** Set-Cookie fields, separated by line feeds. */
  readonly setCookie?: string;
  /** The WWW-Authenticate header. */
  readonly challenge?: string;
  readonly authenticationInfo?: string;
  /** What in the page is meant for visitors who are not logged in: the HTML of `loggedOut`, or the login form. */
  readonly loggedOut?: 'html' | 'form';
}

/**
 * `ended`: the page is meant for visitors who are not logged in; `doubtful`: it may be; `leaving`: the response took a
 * cookie of the session back; `again`: only the page must be requested again, with what the response supplied (cookies,
 * a challenge).
 */
export type SessionVerdict = 'fine' | 'doubtful' | 'leaving' | 'again' | 'ended';

export interface LoginMethod {
  /** Logs in, or tests the credentials that requests would carry. Never rejects because of what a site does. */
  login(tools: LoginTools): Promise<LoginResult>;
  /** Returns the session data to send with a GET request for the URL once logged in. */
  getSession(url: string): RequestSession | Promise<RequestSession>;
  judgeResponse(response: SessionAnswer): SessionVerdict | Promise<SessionVerdict>;
  /**
   * Asks the site whether the session is alive; never rejects because of what the site does. Absent if logging in again
   * is the only way to find out.
   */
  verify?(tools: LoginTools): Promise<SessionHealth>;
  /** Whether the site is known to answer strangers with this status, which otherwise means trouble (429, 500). */
  showsToStrangers?(status: number): boolean;
  /** Returns true if visitors log in at this URL, so that it must not be visited as a page. */
  isLoginPage?(url: string): boolean;
  /** Returns true if a visit of the URL would end the session. */
  isLogoutPage?(url: string): boolean;
  /** Returns the state to keep across restarts; it is secret. */
  save?(): string | undefined;
  restore?(text: string): Promise<void>;
}

export type CreateLogin = (definition: LoginDefinition) => LoginMethod;
