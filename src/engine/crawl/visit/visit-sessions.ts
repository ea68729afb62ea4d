/**
 * The session that a visit uses and updates: the cookies that its host has set, or a login. A crawler's visits to one
 * host share their cookies; a login has its own.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Effects } from '../../../domain/policy/verdict.js';
import { findFetcher } from '../../page/crawl-context.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type { SessionVerdict } from '../../ports/login-method.js';
import type { PageResult, SentSession } from '../../ports/page-task.js';
import type { Session, SessionStore } from '../../ports/session-store.js';
import type { LoginSession } from '../logins/login-session.js';
import type { Logins } from '../logins/logins.js';
import type { Attempt } from './attempt.js';
import type { LinkTarget } from './link-stage.js';

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
  /** The last Set-Cookie fields accepted, by host: most sites set the same ones with each response. */
  private readonly lastAccepted = new BoundedMap<string, string>(MAX_HOSTS);

  constructor(
    private readonly services: SessionServices,
    private readonly target: Pick<LinkTarget, 'context'>,
  ) {}

  findLogin(href: string, { options }: Effects): LoginSession | undefined {
    return this.services.logins.find(findFetcher(this.target.context, options).name, href, options.login);
  }

  /** Creates the session data of the request for the URL; undefined if there is none. */
  createSession({ state, host, url, login }: Attempt): RequestSession | undefined | Promise<RequestSession> {
    if (!login) {
      const cookies = this.services.sessions.find(this.getKey(host.key))?.getCookies(url.href);
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
    if (login || !findFetcher(this.target.context, effects.options).cookies) return undefined;
    return { jar: this.findHostJar(host.key), sent: this.sentCookies.get(state) };
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

  endVisit(state: UrlState): void {
    this.rounds.delete(state);
    this.sentCookies.delete(state);
  }

  private async keepCookies(attempt: Attempt, { setCookie }: PageResult): Promise<void> {
    const { host, url } = attempt;
    if (setCookie === undefined || this.lastAccepted.get(host.key) === setCookie) return;
    this.lastAccepted.set(host.key, setCookie);
    await this.findJar(attempt)?.jar.storeCookies(url.href, setCookie);
  }

  private async handleLoginResponse(
    attempt: Attempt,
    login: LoginSession,
    result: PageResult,
  ): Promise<PageResult | 'again'> {
    const { state } = attempt;
    const verdict = await this.judge(login, result, this.generations.get(state) ?? 0);
    if (verdict === 'fine') return result;
    const { rounds, reloggedIn } = this.rounds.get(state) ?? { rounds: 0, reloggedIn: false };
    // The page asked for a login before, but other pages are served: the account has no access to this one.
    const lacksAccess = state.reason === 'login-failed' && login.confirmed;
    if (rounds < MAX_ROUNDS && !(verdict === 'ended' && (reloggedIn || lacksAccess))) {
      this.rounds.set(state, { rounds: rounds + 1, reloggedIn: reloggedIn || verdict === 'ended' });
      return 'again';
    }
    return toLoginFailure(result, `login ${login.name}: the page still asks for a login after a successful one`);
  }

  private judge(
    login: LoginSession,
    { session, outcome }: PageResult,
    generation: number,
  ): SessionVerdict | Promise<SessionVerdict> {
    if (session) return login.judgeResponse(session, generation);
    return outcome.kind === 'error' && login.noteFailedHandshake(outcome.code, generation) ? 'ended' : 'fine';
  }

  private readonly getKey = (hostKey: string): string => `${this.target.context.definition.name} ${hostKey}`;
}

const MAX_HOSTS = 10_000;

/** Whether the page redirects to itself: it may expect its cookie back (retries.ts). */
export const isRedirectLoop = ({ outcome }: PageResult): boolean =>
  outcome.kind === 'error' && outcome.code === 'redirect-loop';

/** Describes what was sent of a session, without any values. */
export const toSentSession = ({ login, cookies }: RequestSession): SentSession => ({
  login,
  cookies: cookies?.split('; ').map((pair) => pair.split('=', 1)[0]!) ?? [],
});

/** The result of a page that turned out to be a login page: nothing on it is used. */
export const toLoginFailure = (result: Omit<PageResult, 'outcome'>, detail: string): PageResult => ({
  ...result,
  outcome: { kind: 'error', code: 'login-failed', detail },
  links: [],
  refused: [],
});
