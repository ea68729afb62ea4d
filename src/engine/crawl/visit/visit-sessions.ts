/**
 * The session that a visit uses and updates: the cookies that its host has set, or a login. A crawler's visits to one
 * host share their cookies; a login has its own.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { ERROR_CODES, type ErrorCode } from '../../../domain/fetch/error-codes.js';
import type { Effects } from '../../../domain/policy/verdict.js';
import { type Duration, milliseconds, minutes } from '../../../domain/time/units.js';
import { getOrigin } from '../../../domain/url/crawl-url.js';
import { findFetcher } from '../../page/crawl-context.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type { SessionVerdict } from '../../ports/login-method.js';
import type { PageResult, SentSession } from '../../ports/page-task.js';
import type { Session, SessionStore } from '../../ports/session-store.js';
import type { LoginSession } from '../logins/login-session.js';
import type { Logins } from '../logins/logins.js';
import type { Attempt } from './attempt.js';
import type { LinkTarget } from './link-stage.js';
import type { Preconditions } from './preconditions.js';

export interface SessionServices {
  readonly sessions: SessionStore;
  readonly logins: Pick<Logins, 'find'>;
}

/** Maximum number of requests that one visit repeats because of a login. */
const MAX_ROUNDS = 3;

/** The cookies of a host, used and set by several visits, and those that this visit has sent. */
export interface KeptCookies {
  readonly jar: Session;
  readonly sent: string | undefined;
}

interface Round {
  readonly rounds: number;
  readonly reloggedIn: boolean;
}

export class VisitSessions {
  private readonly rounds = new WeakMap<UrlState, Round>();
  private readonly generations = new WeakMap<UrlState, number>();
  /** The cookies sent with a visit's last request. */
  private readonly sentCookies = new WeakMap<UrlState, string>();
  /** The last Set-Cookie fields accepted, by origin: most sites set the same ones with each response. */
  private readonly lastAccepted = new BoundedMap<string, string>(MAX_HOSTS);

  constructor(
    private readonly services: SessionServices,
    private readonly target: Pick<LinkTarget, 'context'>,
    private readonly preconditions: Pick<Preconditions, 'getDelay'>,
  ) {}

  findLogin(href: string, { options, anonymous }: Effects): LoginSession | undefined {
    if (anonymous) return undefined;
    return this.services.logins.find(findFetcher(this.target.context, options).name, href, options.login);
  }

  /** Creates the session data of the request for the URL; undefined if there is none. */
  createSession({ state, host, url, login, effects }: Attempt): RequestSession | undefined | Promise<RequestSession> {
    if (!login) {
      const cookies = this.keepsCookies(effects)
        ? this.services.sessions.find(this.getKey(host.key))?.getCookies(url.href)
        : undefined;
      return cookies === undefined ? undefined : { cookies };
    }
    this.generations.set(state, login.generation);
    const session = login.getSession(url.href);
    const addLoginName = (requestSession: RequestSession): RequestSession => ({ ...requestSession, login: login.name });
    // Without its session, the request is answered with a login page, which shows what is wrong.
    return session instanceof Promise ? session.then(addLoginName, () => addLoginName({})) : addLoginName(session);
  }

  /** Records the cookies that the visit's request was sent with. */
  noteSentCookies(state: UrlState, { cookies }: RequestSession): void {
    if (cookies !== undefined) this.sentCookies.set(state, cookies);
  }

  /** The host's cookies, for a visit that is not logged in and whose fetcher keeps cookies. */
  findJar({ state, host, login, effects }: Attempt): KeptCookies | undefined {
    if (login || !this.keepsCookies(effects)) return undefined;
    return { jar: this.findHostJar(host.key), sent: this.sentCookies.get(state) };
  }

  private keepsCookies({ options }: Effects): boolean {
    return findFetcher(this.target.context, options).cookies;
  }

  /** The cookies of a host, for visits that are not logged in. */
  findHostJar(hostKey: string): Session {
    return this.services.sessions.open(this.getKey(hostKey));
  }

  /** Returns the result, or `again` if the page must be requested once more. */
  handleResponse(attempt: Attempt, result: PageResult): PageResult | 'again' | Promise<PageResult | 'again'> {
    if (attempt.login) return this.handleLoginResponse(attempt, attempt.login, result);
    if (result.setCookie !== undefined && !isRedirectLoop(result))
      return this.keepCookies(attempt, result).then(() => result);
    return result;
  }

  /** Records that the page was read with its login. */
  noteRead({ url, login }: Attempt, { outcome }: PageResult): void {
    if (outcome.kind === 'document' || outcome.kind === 'unchanged') login?.suspects.noteRead(url.href);
  }

  endVisit(state: UrlState): void {
    this.rounds.delete(state);
    this.sentCookies.delete(state);
  }

  private async keepCookies(attempt: Attempt, { setCookie }: PageResult): Promise<void> {
    const { url } = attempt;
    const origin = getOrigin(url);
    const jar = this.findJar(attempt);
    const isKnown = jar?.sent !== undefined && this.lastAccepted.get(origin) === setCookie;
    if (setCookie === undefined || (isKnown && setCookie.split('\n').every(isSteady))) return;
    this.lastAccepted.set(origin, setCookie);
    await jar?.jar.storeCookies(url.href, setCookie);
  }

  /** Believes bad news about a page only if the session that it was requested with is still alive. */
  private async handleLoginResponse(
    attempt: Attempt,
    login: LoginSession,
    result: PageResult,
  ): Promise<PageResult | 'again'> {
    const { state, url } = attempt;
    const generation = this.generations.get(state) ?? 0;
    const verdict = await this.judge(login, result);
    if (verdict === 'again') return this.repeat(state, false) ? 'again' : toLoginFailure(result, refuse(login));
    const isCertain = verdict === 'fine' && !login.suspects.isOnTrial(url.href);
    const maxAge = isCertain ? findDoubt(attempt, login, result) : STRICT;
    if (maxAge === undefined) return result;
    const isOutdated = generation !== login.generation;
    const session = isOutdated ? 'ended' : await login.check(this.preconditions.getDelay(attempt), maxAge);
    if (session === 'alive') {
      login.suspects.acquit(url.href);
      if (result.status === 401) login.noteRefusal(url.href, result.session?.challenge, state.status === 'indexed');
      return verdict === 'ended' ? toLoginFailure(result, refuse(login)) : result;
    }
    if (session !== 'ended') return toLoginFailure(result, session.detail);
    login.noteSessionEnd(generation, url.href);
    return this.repeat(state, !isOutdated) ? 'again' : toLoginFailure(result, refuse(login));
  }

  /** Returns whether the page may be requested again; a visit may need at most one new login. */
  private repeat(state: UrlState, needsLogin: boolean): boolean {
    const { rounds, reloggedIn } = this.rounds.get(state) ?? { rounds: 0, reloggedIn: false };
    if (rounds >= MAX_ROUNDS || (needsLogin && reloggedIn)) return false;
    this.rounds.set(state, { rounds: rounds + 1, reloggedIn: reloggedIn || needsLogin });
    return true;
  }

  private judge(
    login: LoginSession,
    { session, outcome, refreshTarget }: PageResult,
  ): SessionVerdict | Promise<SessionVerdict> {
    if (session) return login.judgeResponse({ ...session, location: session.location ?? refreshTarget });
    return outcome.kind === 'error' && login.isFailedHandshake(outcome.code) ? 'ended' : 'fine';
  }

  private readonly getKey = (hostKey: string): string => `${this.target.context.definition.name} ${hostKey}`;
}

const MAX_HOSTS = 10_000;

/** Whether a cookie that is set once more changes nothing: it does not end, and is for the same folder on any page. */
const isSteady = (cookie: string): boolean =>
  /;\s*path\s*=\s*\//i.test(cookie) && !/;\s*(?:max-age|expires)\s*=/i.test(cookie);

/** Maximum age of the last check of the session, depending on what would be lost if the session had ended since then. */
const STRICT = milliseconds(0);
const WITHOUT_DOCUMENT = minutes(1);
const NEW_DOCUMENT = minutes(5);

/**
 * Whether the site may have sent the error because the session has ended. A temporary one costs no document at once, and
 * the host may need a rest.
 */
function isDoubtful(login: LoginSession, code: ErrorCode, status: number | undefined): boolean {
  if (status === undefined) return false;
  return ERROR_CODES[code].class === 'permanent' || code === 'http-406' || login.showsToStrangers(status);
}

/** How recently the session must have been checked before the outcome is believed; undefined if it does not matter. */
function findDoubt({ state }: Attempt, login: LoginSession, { outcome, status }: PageResult): Duration | undefined {
  if (!login.canCheck) return undefined;
  const isIndexed = state.stamp !== undefined;
  switch (outcome.kind) {
    case 'unchanged':
      return undefined;
    case 'document':
      if (isIndexed) return outcome.index && outcome.facts.stamp === state.stamp ? undefined : STRICT;
      return outcome.index ? NEW_DOCUMENT : WITHOUT_DOCUMENT;
    case 'error':
      if (!isDoubtful(login, outcome.code, status)) return undefined;
      return isIndexed ? STRICT : WITHOUT_DOCUMENT;
    default:
      return isIndexed ? STRICT : WITHOUT_DOCUMENT;
  }
}

const refuse = ({ name }: LoginSession): string =>
  `login ${name}: the page asks for a login although the session is alive; the account may not have access to it`;

/** Whether the page redirects to itself: it may expect its cookie back (retries.ts). */
export const isRedirectLoop = ({ outcome }: PageResult): boolean =>
  outcome.kind === 'error' && outcome.code === 'redirect-loop';

/** Describes what was sent of a session, without any values. */
export const toSentSession = ({ login, cookies }: RequestSession): SentSession => ({
  login,
  cookies: cookies?.split('; ').map((pair) => pair.split('=', 1)[0]!) ?? [],
});

/** The result of a page that turned out to be a login page: nothing on it is used. */
const toLoginFailure = (result: Omit<PageResult, 'outcome'>, detail: string): PageResult => ({
  ...result,
  outcome: { kind: 'error', code: 'login-failed', detail },
  links: [],
  refused: [],
});
