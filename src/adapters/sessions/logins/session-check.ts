/**
 * Finds out whether a session is alive from the page in `check`: by an element or a text that only members see or,
 * without these, by comparing the page with what a stranger was shown when the crawl logged in.
 */
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import {
  areDistinct,
  compareLooks,
  type KnownLooks,
  type PageLook,
  recognizeVisitor,
} from '../../../domain/fetch/page-look.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type { LoginResult, LoginTools, SessionHealth } from '../../../engine/ports/login-method.js';
import { CookieSession } from '../cookie-sessions.js';
import { decodePage } from './form-submission.js';
import { getPageText, hasElement, listSigns, PageTooComplex, parsePage } from './html-form.js';

const MAX_PAGE_SIZE = 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What the check has learned; plain data that is stored with the session. */
export interface CheckKnowledge {
  readonly looks?: KnownLooks;
  /** Whether the tests for success hold on the page for members only. */
  readonly hasTest?: boolean;
}

/** A page, or why there is none. */
type View = (PageLook & { readonly passes: boolean; readonly isLoggedOut: boolean }) | { readonly failure: string };

export interface CheckedSession {
  getSession(url: string): RequestSession;
  /** Returns whether that has changed the cookies for the URL. */
  storeCookies(url: string, setCookie: string): Promise<boolean>;
  /** Whether the URL is a page of the login. */
  isLoginPage(url: string): boolean;
}

export class SessionCheck {
  knowledge: CheckKnowledge = {};

  constructor(private readonly definition: LoginDefinitionOf<'form' | 'browser'>) {}

  /**
   * To be called when the form has been accepted: reads the page with the session, and once without.
   * @returns the URL where the page was read, or why the login has not come in
   */
  async learn(
    tools: LoginTools,
    session: CheckedSession,
  ): Promise<{ url: string } | Exclude<LoginResult, { kind: 'in' }>> {
    const { check } = this.definition;
    const cookies = new CookieSession();
    const anonymous: CheckedSession = {
      ...session,
      getSession: (url) => ({ cookies: cookies.getCookies(url) }),
      storeCookies: (url, setCookie) => cookies.storeCookies(url, setCookie),
    };
    const stranger = await this.view(tools, anonymous, 'asked for the page to check as a stranger');
    const member = await this.view(tools, session, 'read the page to check with the session');
    if ('failure' in member) return { kind: 'unreachable', detail: member.failure };
    const { status, url, passes } = member;
    const shownUrl = url.split(/[?#]/, 1)[0]!;
    if (isTrouble(status)) return { kind: 'unreachable', detail: `${shownUrl} responded with ${status}` };
    if (status === 401 || member.isLoggedOut || session.isLoginPage(url) || REDIRECTS.has(status)) {
      const fault = REDIRECTS.has(status) ? `${check} leads to ${shownUrl}` : `${shownUrl} still asks for a login`;
      return { kind: 'refused', detail: `the login has not come in: ${fault}` };
    }
    if (status >= 400) {
      const advice = 'name a page in `check` that can be read once logged in';
      return {
        kind: 'changed',
        detail: `${shownUrl} responded with ${status} although the login was accepted: ${advice}`,
      };
    }
    const hasTest = passes && ('failure' in stranger || !stranger.passes);
    const looks = 'failure' in stranger ? undefined : compareLooks(member, stranger);
    this.knowledge = { looks, hasTest };
    if (!hasTest && looks !== undefined && !areDistinct(looks)) tools.report({ what: INDISTINCT });
    return { url };
  }

  async verify(tools: LoginTools, session: CheckedSession): Promise<SessionHealth> {
    const view = await this.view(tools, session, 'checked the session');
    if ('failure' in view) return { kind: 'unreachable', detail: `could not check the session: ${view.failure}` };
    if (view.status === 401 || view.isLoggedOut || session.isLoginPage(view.url)) return { kind: 'ended' };
    const { looks, hasTest } = this.knowledge;
    if (this.showsToStrangers(view.status)) return { kind: 'ended' };
    if (isTrouble(view.status)) {
      return { kind: 'unreachable', detail: `could not check the session: ${view.url} responded with ${view.status}` };
    }
    if (hasTest) return view.passes ? { kind: 'in' } : { kind: 'ended' };
    // If the page says nothing about sessions, there is no other way to tell than by the pages themselves.
    if (!looks || !areDistinct(looks)) return { kind: 'in' };
    return recognizeVisitor(looks, view) === 'member' ? { kind: 'in' } : { kind: 'ended' };
  }

  /** Whether strangers got this status, which otherwise means trouble, when the crawl logged in. */
  showsToStrangers(status: number): boolean {
    return isTrouble(status) && this.knowledge.looks?.stranger.status === status;
  }

  /** Requests the page, following redirects within the login's prefix. */
  private async view(tools: LoginTools, session: CheckedSession, what: string): Promise<View> {
    const { check, name, url: prefix } = this.definition;
    const seen = new Set<string>();
    let url = check;
    for (let hop = 0; ; hop++) {
      const sent = { ...session.getSession(url), login: name };
      const outcome = await tools.fetch({ url, session: sent, maxSize: MAX_PAGE_SIZE, truncate: true });
      const shownUrl = url.split(/[?#]/, 1)[0]!;
      if (outcome.kind === 'failure') {
        const failure = `${shownUrl} could not be reached: ${outcome.code}: ${outcome.detail}`;
        tools.report({ what, url: shownUrl, detail: `${outcome.code}: ${outcome.detail}` });
        return { failure };
      }
      const { status, headers } = outcome;
      tools.report({ what, url: shownUrl, status });
      const setCookie = headers['set-cookie'];
      if (setCookie !== undefined && (await session.storeCookies(url, setCookie))) seen.clear();
      const location = REDIRECTS.has(status) ? headers['location'] : undefined;
      const target = location === undefined ? undefined : URL.parse(location, url)?.href;
      if (target === undefined) return this.toView(decodePage(outcome.body, headers['content-type']).text, status, url);
      if (hop === MAX_REDIRECTS) return { failure: `${check} leads to more than ${MAX_REDIRECTS} redirects in a row` };
      seen.add(url);
      if (!target.startsWith(prefix) || session.isLoginPage(target) || seen.has(target))
        return { ...EMPTY, status, url: target };
      url = target;
    }
  }

  private toView(html: string, status: number, url: string): View {
    const { loggedOut, success } = this.definition;
    const isLoggedOut = loggedOut !== undefined && html.includes(loggedOut);
    try {
      const page = parsePage(html, url);
      const tests = [
        ...(success.selector === undefined ? [] : [hasElement(page, success.selector)]),
        ...(success.text === undefined ? [] : [getPageText(page).includes(success.text)]),
      ];
      return { status, url, signs: listSigns(page), passes: tests.length > 0 && !tests.includes(false), isLoggedOut };
    } catch (error) {
      if (!(error instanceof PageTooComplex)) throw error;
      return { failure: `${url} ${error.message}` };
    }
  }
}

/** Statuses that say nothing about a session, unless strangers get them as well. */
const isTrouble = (status: number): boolean => status >= 500 || [407, 408, 425, 429].includes(status);

const EMPTY = { signs: [], passes: false, isLoggedOut: false };

const INDISTINCT =
  'warning: the page to check is the same for visitors who are not logged in, so the end of a session may go unnoticed: set successSelector or successText, or name a page for members only in `check`';
