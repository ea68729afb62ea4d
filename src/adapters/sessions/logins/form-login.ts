/** Logs in through forms as a browser without scripts would: page after page, with the cookies that the pages set. */
import type { LoginDefinitionOf, LoginStep } from '../../../domain/crawl/logins.js';
import { looksLikeLoginUrl } from '../../../domain/fetch/login-wall.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { type Instant } from '../../../domain/time/units.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type { LoginResult, LoginTools } from '../../../engine/ports/login-method.js';
import { CookieLogin } from './cookie-login.js';
import {
  type DecodedPage,
  decodeCookie,
  decodePage,
  describeRedirect,
  encodeForm,
  findEncoding,
  findValue,
  LoginFault,
  removeQuery,
  revealValue,
  type Submission,
} from './form-submission.js';
import {
  collectValues,
  describeForms,
  findField,
  findForm,
  getFieldName,
  getPageText,
  type HtmlPage,
  hasElement,
  PageTooComplex,
  parsePage,
} from './html-form.js';

const MAX_PAGE_SIZE = 2 * 1024 * 1024;
const MAX_REDIRECTS = 10;

interface ShownPage extends DecodedPage {
  readonly page: HtmlPage;
  readonly status: number;
  /** Whether it was reached by a redirect. */
  readonly isRedirected: boolean;
}

export class FormSession extends CookieLogin<LoginDefinitionOf<'form'>> {
  async login(tools: LoginTools): Promise<LoginResult> {
    this.forget();
    try {
      const { page, steps } = this.definition;
      let shownPage = await this.openPage(tools, 'opened the login page', { url: page, method: 'GET' });
      for (const [index, step] of steps.entries()) {
        const what = steps.length === 1 ? 'sent the form' : `sent step ${index + 1} of ${steps.length}`;
        const submission = await this.prepareSubmission(step, shownPage, tools.now());
        this.hops.push(shownPage.page.url, submission.url);
        shownPage = await this.openPage(tools, what, submission);
      }
      const result = this.judgeResult(shownPage, tools);
      if (result.kind === 'in' && this.definition.tokenPath !== undefined) this.token = this.readToken(shownPage);
      return result.kind === 'in' ? await this.enter(tools, shownPage.page.url, shownPage.isRedirected) : result;
    } catch (error) {
      if (!(error instanceof LoginFault)) throw error;
      tools.report({ what: 'stopped', detail: error.message });
      return { kind: error.kind, detail: error.message };
    }
  }

  private readToken({ text, page }: ShownPage): string {
    const { tokenPath = '' } = this.definition;
    const token = findValue(text, tokenPath.split('.'));
    if (typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token)) return token;
    throw new LoginFault('changed', `the response from ${removeQuery(page.url)} has no token at ${tokenPath}`);
  }

  /** Requests one page, following redirects. */
  private async openPage(tools: LoginTools, what: string, firstRequest: Submission): Promise<ShownPage> {
    let request = firstRequest;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.fetch(tools, hop === 0 ? what : 'followed the redirect', request);
      const location = REDIRECTS.has(response.status) ? response.headers['location'] : undefined;
      if (location === undefined) return { ...this.toShownPage(response, request.url), isRedirected: hop > 0 };
      // A page that was only asked for, and led to the login, is an ordinary one.
      if (request.url !== this.definition.page || looksLikeLoginUrl(request.url)) this.hops.push(request.url);
      request = this.followRedirect(request, response.status, location);
    }
    throw new LoginFault(
      'changed',
      `${removeQuery(firstRequest.url)} leads to more than ${MAX_REDIRECTS} redirects in a row`,
    );
  }

  private followRedirect({ url, method, body, contentType }: Submission, status: number, location: string): Submission {
    const target = URL.parse(location, url);
    if (!target || !/^https?:$/.test(target.protocol))
      throw new LoginFault('changed', `${removeQuery(url)} redirects to something that is not a web page`);
    this.requireSecureTransport(target);
    if (method === 'GET' || (status !== 307 && status !== 308)) return { url: target.href, method: 'GET' };
    this.requireAllowedRecipient(target);
    return { url: target.href, method, body, contentType };
  }

  private async fetch(tools: LoginTools, what: string, request: Submission) {
    const { url, method, body, contentType } = request;
    const session: RequestSession = { login: this.definition.name, cookies: this.jar.getCookies(url) };
    const headers = {
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...this.getCsrfHeader(request),
    };
    const outcome = await tools.fetch({ url, method, body, headers, session, maxSize: MAX_PAGE_SIZE });
    const shownUrl = removeQuery(url);
    if (outcome.kind === 'failure') {
      tools.report({ what, url: shownUrl, detail: `${outcome.code}: ${outcome.detail}` });
      throw new LoginFault('unreachable', `${shownUrl} could not be reached: ${outcome.code}: ${outcome.detail}`);
    }
    const { 'set-cookie': setCookie, location } = outcome.headers;
    if (setCookie !== undefined) await this.jar.storeCookies(url, setCookie);
    tools.report({ what, url: shownUrl, status: outcome.status, detail: describeRedirect(setCookie, location) });
    return outcome;
  }

  /** What a script of the site would send to show that it can read the site's cookies. */
  private getCsrfHeader({ url, method }: Submission): Record<string, string> {
    const { csrfCookie, csrfHeader = `X-${csrfCookie}` } = this.definition;
    if (csrfCookie === undefined || method !== 'POST') return {};
    const value = this.jar.findCookie(csrfCookie, url);
    return value === undefined ? {} : { [csrfHeader.toLowerCase()]: decodeCookie(value) };
  }

  private toShownPage(
    response: Extract<FetchOutcome, { kind: 'response' }>,
    url: string,
  ): Omit<ShownPage, 'isRedirected'> {
    const { status } = response;
    const shownUrl = removeQuery(url);
    if (status === 423) throw new LoginFault('locked', `${shownUrl} responded with 423: the account is locked`);
    if (status === 408 || status === 429 || status >= 500)
      throw new LoginFault('unreachable', `${shownUrl} responded with ${status}`);
    try {
      const decoded = decodePage(response.body, response.headers['content-type']);
      return { page: parsePage(decoded.text, url), status, ...decoded };
    } catch (error) {
      if (!(error instanceof PageTooComplex)) throw error;
      throw new LoginFault('changed', `${shownUrl} ${error.message}`);
    }
  }

  private async prepareSubmission(
    { form: formName, fields, json }: LoginStep,
    { page, encoding }: ShownPage,
    now: Instant,
  ): Promise<Submission> {
    if (json !== undefined) {
      const target = new URL(json);
      this.requireAllowedRecipient(target);
      const values = Object.fromEntries(fields.map((field) => [field.name, revealValue(field, now)]));
      return { url: json, method: 'POST', body: Buffer.from(JSON.stringify(values)), contentType: 'application/json' };
    }
    const form = findForm(
      page,
      formName,
      fields.map(({ name }) => name),
    );
    const shownUrl = removeQuery(page.url);
    if (!form) {
      const description =
        formName === undefined ? `with the fields ${fields.map(({ name }) => name).join(', ')}` : `"${formName}"`;
      throw new LoginFault('changed', `${shownUrl} has no form ${description}: ${describeForms(page)}`);
    }
    const filled = new Map(
      fields.map((loginField) => {
        const { name } = loginField;
        const field = findField(form.element, name);
        if (!field)
          throw new LoginFault('changed', `the form on ${shownUrl} has no field ${name}: ${describeForms(page)}`);
        return [field, revealValue(loginField, now)] as const;
      }),
    );
    const target = new URL(form.action);
    this.requireAllowedRecipient(target);
    if (filled.size > 1) this.fields = [...filled.keys()].flatMap((field) => getFieldName(field) ?? []);
    const values = collectValues(form.element, filled);
    return encodeForm(target, form, values, findEncoding(form.acceptCharset) ?? encoding);
  }

  private requireSecureTransport({ protocol, origin }: URL): void {
    if (protocol === 'https:' || this.definition.insecure) return;
    throw new LoginFault(
      'changed',
      `the login leads to ${origin}, which does not use TLS: set insecure="true" if this is intended`,
    );
  }

  private requireAllowedRecipient(target: URL): void {
    this.requireSecureTransport(target);
    const { page, url, sendTo } = this.definition;
    const allowedOrigins = [new URL(page).origin, new URL(url).origin, ...sendTo];
    if (allowedOrigins.includes(target.origin)) return;
    throw new LoginFault(
      'changed',
      `the form would send the password to another server, ${target.origin}: set sendTo="${target.origin}" if this is intended`,
    );
  }

  private judgeResult(shownPage: ShownPage, tools: LoginTools): LoginResult {
    const { success, refusedText, lockedText } = this.definition;
    const { page, status } = shownPage;
    const text = getPageText(page);
    const shownUrl = removeQuery(page.url);
    const reportFailure = (kind: 'refused' | 'locked', reason: string): LoginResult => {
      tools.report({ what: 'checked whether the login succeeded', url: shownUrl, status, detail: reason });
      return { kind, detail: reason };
    };
    if (lockedText !== undefined && text.includes(lockedText))
      return reportFailure('locked', `${shownUrl} says that the account is locked`);
    if (refusedText !== undefined && text.includes(refusedText))
      return reportFailure('refused', `${shownUrl} says that the user or the password is wrong`);
    const failure = this.findFailedTest(shownPage, text);
    if (failure !== undefined) return reportFailure('refused', `after the login, ${shownUrl} ${failure}`);
    const summary = Object.values(success).some((test) => test !== undefined)
      ? 'all checks passed'
      : 'the page is not the login form';
    tools.report({ what: 'checked whether the login succeeded', url: shownUrl, status, detail: summary });
    return { kind: 'in' };
  }

  private findFailedTest({ page, status }: ShownPage, text: string): string | undefined {
    const { selector, cookie, status: expectedStatus, text: expectedText } = this.definition.success;
    if (expectedStatus !== undefined && status !== expectedStatus)
      return `responded with ${status}, not ${expectedStatus}`;
    if (expectedStatus === undefined && status >= 400) return `responded with ${status}`;
    if (selector !== undefined && !hasElement(page, selector)) return `has no element ${selector}`;
    if (cookie !== undefined && !this.jar.hasCookie(cookie, this.definition.url))
      return `has not set the cookie ${cookie}`;
    if (expectedText !== undefined && !text.includes(expectedText)) return 'does not contain the text of successText';
    const hasCriteria = [selector, cookie, expectedStatus, expectedText].some((test) => test !== undefined);
    const lastStep = this.definition.steps.at(-1)!;
    const names = lastStep.fields.map(({ name }) => name);
    if (!hasCriteria && names.length > 0 && findForm(page, undefined, names)) return 'still shows the login form';
    return undefined;
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
