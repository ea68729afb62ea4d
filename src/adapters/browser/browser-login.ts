/** Carries out the steps of a login in a tab of its own. Its pages come from the crawl's own fetcher, as when pages are rendered. */
import type { Cookie, Request, Route } from 'playwright-core';
import { type BrowserLoginStep, describeBrowserLoginStep } from '../../domain/crawl/browser-login-steps.js';
import { milliseconds } from '../../domain/time/units.js';
import type { BrowserLogin, BrowserLoginReport, Fetcher } from '../../engine/ports/fetcher.js';
import { selectForwardedHeaders } from './guest-permissions.js';
import { abortNavigation, fulfillRoute, type Guest } from './guest-requests.js';
import type { Tab } from './tab.js';

const STEP_TIMEOUT_MS = 15_000;
/** How long to look for what may not be there, such as a consent banner. */
const OPTIONAL_TIMEOUT_MS = 3_000;
const QUIET_MS = 300;
const MAX_QUIET_WAIT_MS = 10_000;
const CHECK_INTERVAL_MS = 50;
const MAX_PAGES = 40;
const MAX_TEXT_LENGTH = 200_000;
const MAX_PAGE_SIZE = 5 * 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The page that makes requests changes during a login. */
type LoginGuest = { -readonly [Key in keyof Guest]: Guest[Key] };

class StepFailed extends Error {
  constructor(
    readonly kind: 'changed' | 'unreachable',
    message: string,
  ) {
    super(message);
  }
}

export class BrowserLoginRun {
  private readonly steps: { what: string; url?: string; status?: number; detail?: string }[] = [];
  private readonly pages: string[] = [];
  /** Why a page could not be opened. */
  private problem: StepFailed | undefined;

  constructor(
    private readonly tab: Tab,
    private readonly guest: LoginGuest,
    private readonly login: BrowserLogin,
    private readonly fetcher: Pick<Fetcher, 'fetch'>,
  ) {
    guest.onDocument = (route, request) => this.serveDocument(route, request);
  }

  /** @param isOver true when the time for the login has passed */
  async run(isOver: () => boolean): Promise<BrowserLoginReport> {
    const { page } = this.tab;
    let failure: BrowserLoginReport['failure'];
    let current: BrowserLoginStep | undefined;
    try {
      await this.open(this.guest.url);
      for (const step of this.login.steps) {
        if (isOver()) throw new StepFailed('unreachable', 'the login took too long');
        current = step;
        await this.perform(step);
        this.steps.push({ what: describeBrowserLoginStep(step), url: this.shownUrl });
        if (this.problem) throw this.problem;
      }
    } catch (error) {
      const { kind, message } = this.problem ?? (error instanceof StepFailed ? error : toFailure(error, current));
      failure = { kind, detail: message };
    }
    const text = await page.innerText('body', { timeout: OPTIONAL_TIMEOUT_MS }).catch(() => '');
    const cookies = await this.tab.context.cookies();
    return {
      steps: this.steps,
      pages: this.pages,
      cookies: cookies.map(toSetCookie),
      text: text.slice(0, MAX_TEXT_LENGTH),
      ...(failure ? { failure } : {}),
    };
  }

  private get shownUrl(): string {
    return this.pages.at(-1) ?? this.guest.url;
  }

  private async open(url: string): Promise<void> {
    await this.tab.page.goto(url, { waitUntil: 'domcontentloaded', timeout: STEP_TIMEOUT_MS }).catch((error: Error) => {
      // A page that moves on at once interrupts its own loading.
      if (this.problem) throw this.problem;
      if (isTimeout(error)) throw new StepFailed('unreachable', 'a page did not load in time');
    });
    await this.waitUntilQuiet();
    if (this.problem) throw this.problem;
  }

  private async perform(step: BrowserLoginStep): Promise<void> {
    const { page } = this.tab;
    switch (step.do) {
      case 'goto':
        return this.open(step.url);
      case 'fill':
        return page.fill(step.select, this.login.values[step.field]?.reveal() ?? '', { timeout: STEP_TIMEOUT_MS });
      case 'wait':
        await page.waitForSelector(step.select, { timeout: STEP_TIMEOUT_MS });
        return;
      case 'pause':
        return pause(step.time);
      case 'click': {
        const timeout = step.isOptional ? OPTIONAL_TIMEOUT_MS : STEP_TIMEOUT_MS;
        try {
          await page.click(step.select, { timeout });
        } catch (error) {
          if (!step.isOptional || !isTimeout(error)) throw error;
        }
        return this.waitUntilQuiet();
      }
    }
  }

  /** Waits until nothing is being loaded any more, or for a while: some pages never stop. */
  private async waitUntilQuiet(): Promise<void> {
    const end = performance.now() + MAX_QUIET_WAIT_MS;
    let quietSince = performance.now();
    let activity = this.guest.activityCount;
    while (performance.now() < end && !this.problem) {
      await pause(CHECK_INTERVAL_MS);
      if (this.guest.inFlight > 0 || this.guest.activityCount !== activity) {
        activity = this.guest.activityCount;
        quietSince = performance.now();
      } else if (performance.now() - quietSince >= QUIET_MS) return;
    }
  }

  private async serveDocument(route: Route, request: Request): Promise<void> {
    this.guest.inFlight++;
    this.guest.activityCount++;
    try {
      await this.fetchDocument(route, request);
    } catch (error) {
      this.problem ??= error instanceof StepFailed ? error : toFailure(error);
      await abortNavigation(route);
    } finally {
      this.guest.inFlight--;
      this.guest.activityCount++;
    }
  }

  private async fetchDocument(route: Route, request: Request): Promise<void> {
    const url = new URL(request.url());
    this.requireAllowed(url);
    if (this.pages.length >= MAX_PAGES)
      throw new StepFailed('changed', `the login leads to more than ${MAX_PAGES} pages`);
    const method = request.method() === 'POST' ? 'POST' : 'GET';
    const body = request.postDataBuffer();
    const outcome = await this.fetcher.fetch(
      {
        url: url.href,
        fetcher: this.guest.request.fetcher,
        headers: selectForwardedHeaders(request),
        session: { cookies: await this.guest.getCookies(url.href) },
        maxSize: MAX_PAGE_SIZE,
        totalTimeout: milliseconds(STEP_TIMEOUT_MS),
        ...(method === 'POST' ? { method, body: body ?? new Uint8Array(0) } : {}),
      },
      this.guest.signal,
    );
    if (outcome.kind === 'failure')
      throw new StepFailed('unreachable', `${showUrl(url)} could not be reached: ${outcome.code}: ${outcome.detail}`);
    const { status, headers, body: html, address } = outcome;
    this.pages.push(url.href);
    this.steps.push({ what: method === 'POST' ? 'sent a form' : 'opened a page', url: url.href, status });
    if (status === 429 || status >= 500)
      throw new StepFailed('unreachable', `${showUrl(url)} responded with ${status}`);
    const location = REDIRECTS.has(status) ? URL.parse(headers['location'] ?? '', url.href) : undefined;
    if (!location) {
      this.guest.url = url.href;
      this.guest.request = {
        ...this.guest.request,
        render: { page: { status, headers, body: html, address }, obeysRobots: false },
      };
      await fulfillRoute(route, { status, headers, body: html });
      return;
    }
    this.requireAllowed(location);
    if (method === 'POST' && (status === 307 || status === 308))
      throw new StepFailed(
        'changed',
        `${showUrl(url)} wants the form sent again elsewhere (${status}), which is not supported`,
      );
    await fulfillRoute(route, createRedirect(location.href, headers['set-cookie']));
  }

  private requireAllowed(url: URL): void {
    if (this.login.origins.includes(url.origin)) return;
    throw new StepFailed('changed', `the login leads to ${url.origin}: set sendTo="${url.origin}" if this is intended`);
  }
}

/** The browser does not follow redirects of intercepted requests, so a page does it that sets the same cookies. */
const createRedirect = (target: string, setCookie: string | undefined) => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
  },
  body: new TextEncoder().encode(
    `<script>location.replace(${JSON.stringify(target).replaceAll('<', '\\u003c')})</script>`,
  ),
});

const toFailure = (error: unknown, step?: BrowserLoginStep): StepFailed =>
  isTimeout(error)
    ? new StepFailed(
        'changed',
        `${describeStep(step)} was not possible within ${STEP_TIMEOUT_MS / 1000} s: is the element there and visible?`,
      )
    : new StepFailed('unreachable', getFirstLines(error));

const describeStep = (step: BrowserLoginStep | undefined): string =>
  step && 'select' in step ? `the step "${step.do} ${step.select}"` : 'a step';

/** Playwright adds a log of what it tried, which may quote the page. */
const getFirstLines = (error: unknown): string =>
  String((error as Error)?.message ?? error)
    .split('\n', 1)[0]!
    .slice(0, 300);

function toSetCookie({ name, value, domain, path, expires, secure, httpOnly }: Cookie): {
  url: string;
  cookie: string;
} {
  const host = domain.replace(/^\./, '');
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    ...(domain.startsWith('.') ? [`Domain=${host}`] : []),
    ...(expires > 0 ? [`Expires=${new Date(expires * 1_000).toUTCString()}`] : []),
    ...(secure ? ['Secure'] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
  ];
  return { url: `${secure ? 'https' : 'http'}://${host}${path}`, cookie: parts.join('; ') };
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
const showUrl = (url: URL): string => url.origin + url.pathname;
const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
