/** Logins whose session is a set of cookies, however they were obtained. */
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import { looksLikeLoginUrl } from '../../../domain/fetch/login-wall.js';
import { looksLikeLogoutUrl } from '../../../domain/fetch/logout-urls.js';
import type { TextMatcher } from '../../../domain/policy/matching/text-matcher.js';
import { createWildcardMatcher } from '../../../domain/policy/matching/wildcard.js';
import { after } from '../../../domain/time/units.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionHealth,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { CookieSession } from '../cookie-sessions.js';
import { type CheckedSession, type CheckKnowledge, SessionCheck } from './session-check.js';

/** The state that is kept across restarts. */
interface SavedState {
  readonly jar?: string;
  readonly token?: string;
  readonly fields: readonly string[];
  readonly pages: ReturnType<LoginPages['save']>;
  readonly check: CheckKnowledge;
}

export abstract class CookieLogin<T extends LoginDefinitionOf<'form' | 'browser'>> implements LoginMethod {
  protected jar = new CookieSession();
  protected token: string | undefined;
  /** Names of the fields of the login form. */
  protected fields: readonly string[] = [];
  /** URLs that the running login has led to. */
  protected hops: string[] = [];
  private readonly pages: LoginPages;
  private readonly check: SessionCheck;
  private readonly logoutUrls: readonly TextMatcher[];

  constructor(protected readonly definition: T) {
    this.pages = new LoginPages(definition.url, definition.page);
    this.check = new SessionCheck(definition);
    this.logoutUrls = definition.logoutUrls.map((pattern) => createWildcardMatcher(pattern, 'star'));
  }

  abstract login(tools: LoginTools): Promise<LoginResult>;

  getSession(url: string): RequestSession {
    const { fields } = this;
    const { loggedOut: html } = this.definition;
    const headers = this.token === undefined ? {} : { headers: { authorization: `Bearer ${this.token}` } };
    return { ...headers, cookies: this.jar.getCookies(url), loggedOut: html === undefined ? { fields } : { html } };
  }

  async judgeResponse({ url, status, location, setCookie, loggedOut }: SessionAnswer): Promise<SessionVerdict> {
    const namesBefore = setCookie === undefined ? [] : this.jar.listNames(url);
    const cookiesChanged = setCookie !== undefined && (await this.jar.storeCookies(url, setCookie));
    if (status === 401 || loggedOut === 'html') return 'ended';
    if (loggedOut === 'form') return 'doubtful';
    if (location === url) return cookiesChanged ? 'again' : 'fine';
    if (location !== undefined && this.leadsToLogin(location)) return 'ended';
    const names = new Set(cookiesChanged ? this.jar.listNames(url) : namesBefore);
    return namesBefore.every((name) => names.has(name)) ? 'fine' : 'leaving';
  }

  verify(tools: LoginTools): Promise<SessionHealth> {
    return this.check.verify(tools, this.checkedSession);
  }

  showsToStrangers(status: number): boolean {
    return this.check.showsToStrangers(status);
  }

  isLoginPage(url: string): boolean {
    return this.leadsToLogin(url);
  }

  isLogoutPage(url: string): boolean {
    return looksLikeLogoutUrl(new URL(url)) || this.logoutUrls.some((matches) => matches(url));
  }

  save(): string | undefined {
    const { fields, pages, token, check } = this;
    const state: SavedState = { jar: this.jar.save(), token, fields, pages: pages.save(), check: check.knowledge };
    return state.jar === undefined && token === undefined ? undefined : JSON.stringify(state);
  }

  async restore(text: string): Promise<void> {
    const { jar, token, fields, pages, check } = JSON.parse(text) as SavedState;
    this.token = token;
    if (jar !== undefined) await this.jar.restore(jar);
    this.fields = fields;
    this.pages.restore(pages);
    this.check.knowledge = check;
  }

  /** Begins a new session. */
  protected forget(): void {
    this.jar = new CookieSession();
    this.token = undefined;
    this.hops = [];
  }

  private leadsToLogin(href: string): boolean {
    return this.pages.has(href) || this.definition.sendTo.includes(URL.parse(href)?.origin ?? '');
  }

  /** A login has come in only when a page behind it was read. */
  protected async enter(tools: LoginTools, lastUrl: string, isOwnPage: boolean): Promise<LoginResult> {
    // What answers the form is no page of its own.
    const documents = isOwnPage ? [lastUrl] : [];
    this.pages.learn(this.hops, documents);
    const result = await this.check.learn(tools, this.checkedSession);
    if (!('url' in result)) return result;
    this.pages.learn(this.hops, [...documents, result.url]);
    const { sessionLifetimeS: lifetime } = this.definition;
    return lifetime === undefined ? { kind: 'in' } : { kind: 'in', until: after(tools.now(), lifetime) };
  }

  private get checkedSession(): CheckedSession {
    return {
      getSession: (url) => this.getSession(url),
      storeCookies: (url, setCookie) => this.jar.storeCookies(url, setCookie),
      isLoginPage: (url) => this.leadsToLogin(url),
    };
  }
}

const MAX_PAGES = 20;
const MAX_DOCUMENTS = 20;

/** Parameters that say where a visitor goes after the login, or that are different each time. */
const PASSING_PARAMETER =
  /return|redirect|next|back|target|dest|goto|referr?er|continue|service|url|uri|^rd$|^ref$|state|nonce|code|token|csrf|session|samlre|relay|expires|time|rand|^[_t]$/i;

interface LoginPage {
  readonly place: string;
  /** All of these parameters must be in the URL; none if the path is enough. */
  readonly parameters: readonly (readonly [string, string])[];
}

/**
 * The URLs at which visitors log in, learned from the way in. On a site that consists of one script, only the query
 * tells the login page from the others.
 */
class LoginPages {
  private pages: readonly LoginPage[] = [];

  /**
   * @param prefix pages at exactly this URL are ordinary ones
   * @param start where the configuration says that the login begins
   */
  constructor(
    private readonly prefix: string,
    private readonly start: string,
  ) {
    this.learn([], []);
  }

  has(href: string): boolean {
    const url = URL.parse(href);
    if (!url) return false;
    const place = url.origin + url.pathname;
    return this.pages.some((page) => page.place === place && page.parameters.every((pair) => hasParameter(url, pair)));
  }

  /**
   * Takes over what a login has shown.
   * @param hops URLs where the login led
   * @param documents URLs of pages that were read with the session
   */
  learn(hops: readonly string[], documents: readonly string[]): void {
    const read = documents.slice(0, MAX_DOCUMENTS).flatMap((href) => URL.parse(href) ?? []);
    const candidates = [...new Set(hops.length === 0 ? [this.start] : hops)].filter((href) => !this.isPrefix(href));
    this.pages = candidates.flatMap((href) => toLoginPage(href, read) ?? []).slice(0, MAX_PAGES);
  }

  save(): readonly LoginPage[] {
    return this.pages;
  }

  restore(pages: readonly LoginPage[]): void {
    this.pages = pages.slice(0, MAX_PAGES);
  }

  private isPrefix(href: string): boolean {
    const [url, prefix] = [URL.parse(href), URL.parse(this.prefix)];
    if (!url || !prefix) return true;
    return url.origin === prefix.origin && url.pathname === prefix.pathname && url.search === prefix.search;
  }
}

/** Undefined if nothing in the URL tells the page from those that were read. */
function toLoginPage(href: string, documents: readonly URL[]): LoginPage | undefined {
  const url = URL.parse(href);
  if (!url) return undefined;
  const place = url.origin + url.pathname;
  const parameters = [...url.searchParams].filter(([name, value]) => isTelling(name, value));
  const neighbours = documents.filter((document) => document.origin + document.pathname === place);
  if (neighbours.length === 0) {
    if (looksLikeLoginUrl(place)) return { place, parameters: [] };
    return { place, parameters: parameters.filter(isLoginParameter) };
  }
  const telling = parameters.filter((pair) => !neighbours.some((document) => hasParameter(document, pair)));
  return telling.length === 0 ? undefined : { place, parameters: telling };
}

const isTelling = (name: string, value: string): boolean =>
  !PASSING_PARAMETER.test(name) && value.length <= 64 && !value.includes('/');

/** `do=login`, `title=Special:UserLogin`, `Login` without a value. */
const isLoginParameter = ([name, value]: readonly [string, string]): boolean =>
  /log-?_?[io]n|sign-?_?[io]n|anmeld|connexion|accedi|auth/i.test(`${value === '' ? name : value}`);

const hasParameter = (url: URL, [name, value]: readonly [string, string]): boolean =>
  url.searchParams.getAll(name).includes(value);
