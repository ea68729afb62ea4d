/** Logs in through forms as a browser without scripts would: page after page, with the cookies that the pages set. */
import type { FormLogin, LoginStep } from '../../../domain/crawl/logins.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { CookieSession } from '../cookie-sessions.js';
import {
  collectValues,
  describeForms,
  findField,
  findForm,
  getFieldName,
  getText,
  type HtmlPage,
  hasElement,
  PageTooComplex,
  parsePage,
} from './html-form.js';

const LARGEST_PAGE = 2 * 1024 * 1024;
const MOST_REDIRECTS = 10;
const MOST_PAGES_KNOWN = 20;
const LOGOUT = /(?:^|\/)(?:log|sign)[-_]?(?:out|off)(?:[./?]|$)/i;

interface Shown {
  readonly page: HtmlPage;
  readonly status: number;
}

interface Submission {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: Uint8Array;
  readonly contentType?: string;
}

/** Makes a login fail; the message is for a person. */
class LoginFault extends Error {
  constructor(
    readonly kind: Exclude<LoginResult['kind'], 'in'>,
    message: string,
  ) {
    super(message);
  }
}

/** What is kept across a restart. */
interface Kept {
  readonly jar?: string;
  readonly markers: readonly string[];
  readonly pages: readonly string[];
}

export class FormSession implements LoginMethod {
  private jar = new CookieSession();
  /** Pieces of the login form's HTML. */
  private markers: readonly string[] = [];
  /** URLs, without query, where forms of the login were found or to which they were sent. */
  private pages = new Set<string>();

  constructor(private readonly definition: FormLogin) {
    if (definition.page !== definition.url) this.addKnownPage(definition.page);
    if (definition.loggedOut !== undefined) this.markers = [definition.loggedOut];
  }

  async login(tools: LoginTools): Promise<LoginResult> {
    this.jar = new CookieSession();
    try {
      const { page, steps } = this.definition;
      let shown = await this.openPage(tools, 'opened the login page', { url: page, method: 'GET' });
      for (const [index, step] of steps.entries()) {
        const what = steps.length === 1 ? 'sent the form' : `sent step ${index + 1} of ${steps.length}`;
        shown = await this.openPage(tools, what, await this.prepareSubmission(step, shown));
      }
      return this.judgeResult(shown, tools);
    } catch (error) {
      if (!(error instanceof LoginFault)) throw error;
      tools.report({ what: 'stopped', detail: error.message });
      return { kind: error.kind, detail: error.message };
    }
  }

  getSession(url: string): RequestSession {
    return { cookies: this.jar.getCookies(url), loggedOut: this.markers };
  }

  async judgeResponse({ url, status, location, setCookie, loggedOut }: SessionAnswer): Promise<SessionVerdict> {
    const changed = setCookie !== undefined && (await this.jar.storeCookies(url, setCookie));
    if (status === 401 || loggedOut === true) return 'ended';
    if (location === undefined) return 'fine';
    if (location === url) return changed ? 'again' : 'fine';
    return this.leadsToLogin(location) ? 'ended' : 'fine';
  }

  isLoginPage(url: string): boolean {
    return this.leadsToLogin(url) || LOGOUT.test(new URL(url).pathname);
  }

  save(): string | undefined {
    const kept: Kept = { jar: this.jar.save(), markers: this.markers, pages: [...this.pages] };
    return kept.jar === undefined ? undefined : JSON.stringify(kept);
  }

  async restore(text: string): Promise<void> {
    const { jar, markers, pages } = JSON.parse(text) as Kept;
    if (jar !== undefined) await this.jar.restore(jar);
    this.markers = markers;
    for (const page of pages) this.addKnownPage(page);
  }

  private leadsToLogin(href: string): boolean {
    const url = URL.parse(href);
    if (!url) return false;
    return this.pages.has(url.origin + url.pathname) || this.definition.sendTo.includes(url.origin);
  }

  /** The root of the prefix is an ordinary page of the site and therefore not added. */
  private addKnownPage(href: string): void {
    const url = URL.parse(href);
    const own = URL.parse(this.definition.url);
    if (!url || (own && url.origin === own.origin && url.pathname === own.pathname)) return;
    if (this.pages.size < MOST_PAGES_KNOWN) this.pages.add(url.origin + url.pathname);
  }

  /** Requests one page, following redirects. */
  private async openPage(tools: LoginTools, what: string, first: Submission): Promise<Shown> {
    let request = first;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const answer = await this.fetch(tools, hop === 0 ? what : 'followed the redirect', request);
      const location = REDIRECTS.has(answer.status) ? answer.headers['location'] : undefined;
      if (location === undefined) return this.toShownPage(answer, request.url);
      request = this.followRedirect(request, answer.status, location);
    }
    throw new LoginFault(
      'changed',
      `${withoutQuery(first.url)} leads to more than ${MOST_REDIRECTS} redirects in a row`,
    );
  }

  private followRedirect({ url, method, body, contentType }: Submission, status: number, location: string): Submission {
    const target = URL.parse(location, url);
    if (!target || !/^https?:$/.test(target.protocol))
      throw new LoginFault('changed', `${withoutQuery(url)} redirects to something that is not a web page`);
    this.checkTransport(target);
    if (method === 'GET' || (status !== 307 && status !== 308)) return { url: target.href, method: 'GET' };
    this.checkRecipient(target);
    return { url: target.href, method, body, contentType };
  }

  private async fetch(tools: LoginTools, what: string, request: Submission) {
    const { url, method, body, contentType } = request;
    const session: RequestSession = { login: this.definition.name, cookies: this.jar.getCookies(url) };
    const headers = contentType === undefined ? undefined : { 'content-type': contentType };
    const answer = await tools.fetch({ url, method, body, headers, session, maxSize: LARGEST_PAGE });
    const shownUrl = withoutQuery(url);
    if (answer.kind === 'failure') {
      tools.report({ what, url: shownUrl, detail: `${answer.code}: ${answer.detail}` });
      throw new LoginFault('unreachable', `${shownUrl} could not be reached: ${answer.code}: ${answer.detail}`);
    }
    const { 'set-cookie': setCookie, location } = answer.headers;
    if (setCookie !== undefined) await this.jar.storeCookies(url, setCookie);
    tools.report({ what, url: shownUrl, status: answer.status, detail: describeRedirect(setCookie, location) });
    return answer;
  }

  private toShownPage(answer: Extract<FetchOutcome, { kind: 'response' }>, url: string): Shown {
    const { status } = answer;
    const place = withoutQuery(url);
    if (status === 423) throw new LoginFault('locked', `${place} responded with 423: the account is locked`);
    if (status === 408 || status === 429 || status >= 500)
      throw new LoginFault('unreachable', `${place} responded with ${status}`);
    try {
      return { page: parsePage(new TextDecoder().decode(answer.body), url), status };
    } catch (error) {
      if (!(error instanceof PageTooComplex)) throw error;
      throw new LoginFault('changed', `${place} ${error.message}`);
    }
  }

  private async prepareSubmission({ form: wanted, fields, json }: LoginStep, { page }: Shown): Promise<Submission> {
    if (json !== undefined) {
      const target = new URL(json);
      this.checkRecipient(target);
      const values = Object.fromEntries(fields.map(({ name, value }) => [name, value.reveal()]));
      this.addKnownPage(json);
      return { url: json, method: 'POST', body: Buffer.from(JSON.stringify(values)), contentType: 'application/json' };
    }
    const form = findForm(
      page,
      wanted,
      fields.map(({ name }) => name),
    );
    const place = withoutQuery(page.url);
    if (!form) {
      const looked =
        wanted === undefined ? `with the fields ${fields.map(({ name }) => name).join(', ')}` : `"${wanted}"`;
      throw new LoginFault('changed', `${place} has no form ${looked}: ${describeForms(page)}`);
    }
    const filled = new Map(
      fields.map(({ name, value }) => {
        const field = findField(form.element, name);
        if (!field)
          throw new LoginFault('changed', `the form of ${place} has no field ${name}: ${describeForms(page)}`);
        return [field, value.reveal()] as const;
      }),
    );
    const target = new URL(form.action);
    this.checkRecipient(target);
    this.addKnownPage(page.url);
    if (this.definition.loggedOut === undefined && filled.size > 1)
      this.markers = [...filled.keys()].flatMap((field) => getFieldName(field) ?? []).map((name) => `name="${name}"`);
    return encodeForm(target, form.method, form.multipart, collectValues(form.element, filled));
  }

  private checkTransport({ protocol, origin }: URL): void {
    if (protocol === 'https:' || this.definition.insecure) return;
    throw new LoginFault(
      'changed',
      `the login leads to ${origin}, which does not use TLS: write insecure="true" if that is intended`,
    );
  }

  private checkRecipient(target: URL): void {
    this.checkTransport(target);
    const { page, url, sendTo } = this.definition;
    const allowed = [new URL(page).origin, new URL(url).origin, ...sendTo];
    if (allowed.includes(target.origin)) return;
    throw new LoginFault(
      'changed',
      `the form would send the password to another server, ${target.origin}: write sendTo="${target.origin}" if that is intended`,
    );
  }

  private judgeResult({ page, status }: Shown, tools: LoginTools): LoginResult {
    const { success, refusedText, lockedText } = this.definition;
    const text = getText(page);
    const place = withoutQuery(page.url);
    const finish = (kind: 'refused' | 'locked', why: string): LoginResult => {
      tools.report({ what: 'checked whether the login succeeded', url: place, status, detail: why });
      return { kind, detail: why };
    };
    if (lockedText !== undefined && text.includes(lockedText))
      return finish('locked', `${place} says that the account is locked`);
    if (refusedText !== undefined && text.includes(refusedText))
      return finish('refused', `${place} says that the user or the password is wrong`);
    const failed = this.findFailedTest({ page, status }, text);
    if (failed !== undefined) return finish('refused', `after the login, ${place} ${failed}`);
    const tested = Object.values(success).some((test) => test !== undefined)
      ? 'all checks passed'
      : 'it is not the login form';
    tools.report({ what: 'checked whether the login succeeded', url: place, status, detail: tested });
    return { kind: 'in' };
  }

  private findFailedTest({ page, status }: Shown, text: string): string | undefined {
    const { selector, cookie, status: wanted, text: wantedText } = this.definition.success;
    if (wanted !== undefined && status !== wanted) return `responded with ${status}, not ${wanted}`;
    if (wanted === undefined && status >= 400) return `responded with ${status}`;
    if (selector !== undefined && !hasElement(page, selector)) return `has no element ${selector}`;
    if (cookie !== undefined && !this.jar.has(cookie, this.definition.url)) return `has set no cookie ${cookie}`;
    if (wantedText !== undefined && !text.includes(wantedText)) return 'does not have the text of successText';
    const tested = [selector, cookie, wanted, wantedText].some((test) => test !== undefined);
    const last = this.definition.steps.at(-1)!;
    const names = last.fields.map(({ name }) => name);
    if (!tested && names.length > 0 && findForm(page, undefined, names)) return 'still shows the login form';
    return undefined;
  }
}

/** The query is dropped because, for a form sent by GET, it contains the password. */
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0]!;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function encodeForm(
  target: URL,
  method: 'GET' | 'POST',
  multipart: boolean,
  values: readonly { name: string; value: string }[],
): Submission | Promise<Submission> {
  const form = new URLSearchParams(values.map(({ name, value }): [string, string] => [name, value]));
  if (method === 'GET') {
    target.search = form.toString();
    return { url: target.href, method };
  }
  const url = target.href;
  if (!multipart)
    return { url, method, body: Buffer.from(form.toString()), contentType: 'application/x-www-form-urlencoded' };
  const data = new FormData();
  for (const { name, value } of values) data.append(name, value);
  const encoded = new Response(data);
  const contentType = encoded.headers.get('content-type') ?? 'multipart/form-data';
  return encoded.arrayBuffer().then((body) => ({ url, method, body: new Uint8Array(body), contentType }));
}

/** Describes the cookies' names and the target of a redirect, without values and queries, which may be secrets. */
function describeRedirect(setCookie: string | undefined, location: string | undefined): string | undefined {
  const names = setCookie?.split('\n').map((cookie) => cookie.split('=', 1)[0]!.trim().slice(0, 40));
  const parts = [
    ...(location === undefined ? [] : [`redirects to ${withoutQuery(location).slice(0, 200)}`]),
    ...(names === undefined ? [] : [`sets ${[...new Set(names)].slice(0, 10).join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
