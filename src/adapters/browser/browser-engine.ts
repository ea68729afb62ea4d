/** Fetch engine that renders pages: loads the fetched page in a browser and returns what its scripts produced. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome, Rendering } from '../../domain/fetch/outcome.js';
import { type Duration, milliseconds, seconds } from '../../domain/time/units.js';
import type {
  BrowserLogin,
  FetchEngine,
  Fetcher,
  FetchRequest,
  RenderInstructions,
  SocketOpener,
} from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import { Browser, BrowserMissing, computeMaxTabs, DEFAULT_MAX_USES, type RequestHandlers } from './browser.js';
import { BrowserLoginRun } from './browser-login.js';
import { ProcessorShare, Turns } from './browser-process.js';
import { ForeignRequests, type JudgeRequest, type LoadDomains } from './foreign-requests.js';
import { type Guest, GuestRequests } from './guest-requests.js';
import { GuestSockets } from './guest-sockets.js';
import { Moved, type RenderedPage, type Tab, TabFailed } from './tab.js';

const WATCH_INTERVAL_MS = 250;
/** How long to wait before another attempt when the browser could not be started. */
const RESTART_DELAY_MS = 60_000;
/**
 * How long a failure is attributed to a page's process that was killed for its memory use: a busy machine reports such
 * failures late.
 */
const KILL_ATTRIBUTION_MS = 30_000;
const IDLE_DELAY_MS = 1_000;
/** Time limit for closing a tab; after that it is abandoned. */
const CLOSE_TIMEOUT_MS = 10_000;
const COOKIES_TIMEOUT_MS = 10_000;
const DEFAULT_LOGIN_MS = 90_000;
const NO_PAGE: RenderInstructions['page'] = { status: 200, headers: {}, body: new Uint8Array(0), address: '' };
/**
 * Minimum time for opening a tab, even if the page itself has less: a slow start on a busy machine says nothing about
 * the page.
 */
const MIN_OPEN_TIMEOUT_MS = 10_000;
/** Share of the memory limit that one page may use. */
const MAX_PAGE_SHARE = 0.6;

export class BrowserEngine implements FetchEngine {
  readonly engine = 'browser';
  private browser: Promise<Browser> | undefined;
  private outage: { readonly problem: string; readonly until: number } | undefined;
  private readonly slotWaiters = new Turns<() => void>();
  private inFlight = 0;
  private version: string | undefined;
  private lastKillAt = Number.NEGATIVE_INFINITY;
  private isSupervising = false;
  private closed = false;
  private loginCount = 0;
  private readonly guests: GuestRequests;
  private readonly processorShare: ProcessorShare;
  private readonly maxTabs: number;

  constructor(
    private readonly renderer: RendererDefinition,
    fetchers: readonly FetcherDefinition[],
    private readonly fetcher: Fetcher & SocketOpener,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    loadDomains: LoadDomains,
    judgeScript?: JudgeRequest,
    private readonly maxUses = DEFAULT_MAX_USES,
  ) {
    this.guests = new GuestRequests(fetcher, fetchers, renderer, new ForeignRequests(loadDomains, judgeScript));
    this.processorShare = new ProcessorShare(renderer.maxShare * availableParallelism());
    this.maxTabs = computeMaxTabs(renderer);
  }

  /** `request.render` is required, which contains the page to be rendered, or `request.browserLogin`. */
  async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const { render: order, browserLogin: login } = request;
    if (!order && !login) throw new Error('A request to the browser must contain the page to be rendered.');
    if (this.outage && this.outage.until > performance.now()) return createUnavailableFailure(this.outage.problem);
    await this.acquireSlot(request.crawler ?? '');
    const startedAt = performance.now();
    try {
      signal?.throwIfAborted();
      return login ? await this.logIn(request, login, startedAt) : await this.render(request, order!, startedAt);
    } catch (error) {
      if (!(error instanceof BrowserMissing)) throw error;
      if (!this.outage) this.log.warn(error.message);
      this.outage = { problem: error.message, until: performance.now() + RESTART_DELAY_MS };
      return createUnavailableFailure(error.message);
    } finally {
      this.releaseSlot();
    }
  }

  resolve(hostname: string): Promise<string | undefined> {
    return this.fetcher.resolve(hostname);
  }

  async close(): Promise<void> {
    this.closed = true;
    const browser = await this.browser?.catch(() => undefined);
    await browser?.close();
  }

  private async acquireSlot(crawler: string): Promise<void> {
    if (this.inFlight >= this.maxTabs) await new Promise<void>((resolve) => this.slotWaiters.push(crawler, resolve));
    else this.inFlight++;
    for (
      let wait = this.processorShare.computeWaitTime();
      wait > 0 && !this.closed;
      wait = this.processorShare.computeWaitTime()
    )
      await sleep(Math.min(1_000, wait * 1_000));
  }

  private releaseSlot(): void {
    const next = this.slotWaiters.shift();
    if (next) next();
    else if (--this.inFlight === 0) void this.stopScriptsIfStillIdle();
  }

  /** Stops the scripts of idle pages, whose timers would otherwise keep running. */
  private async stopScriptsIfStillIdle(): Promise<void> {
    await sleep(IDLE_DELAY_MS, undefined, { ref: false });
    if (this.inFlight === 0) await this.browser?.then((browser) => browser.stopIdleScripts()).catch(() => undefined);
  }

  private async render(request: FetchRequest, order: RenderInstructions, startedAt: number): Promise<FetchOutcome> {
    const browser = await this.openBrowser();
    const key = buildSiteKey(request);
    const tab = await this.openTab(browser, key, request.userAgent ?? order.userAgent);
    if (tab instanceof Error)
      return createRenderFailure('render-crash', `the browser could not open a page: ${getFirstLine(tab)}`, startedAt);
    const controller = new AbortController();
    const guest = this.createGuest(request, order, tab, controller.signal);
    let isHealthy = false;
    try {
      if (!(await withTimeout(addCookies(tab, request), COOKIES_TIMEOUT_MS)))
        return createRenderFailure('render-crash', 'the browser did not accept the session cookies', startedAt);
      const timeLimit = Math.min(this.renderer.timeLimit, request.totalTimeout ?? Number.POSITIVE_INFINITY);
      const readyWhen = order.readyWhen ?? this.renderer.readyWhen;
      const page = await tab.render({
        guest,
        readyWhen,
        steps: order.steps ?? this.renderer.steps,
        timeLimit,
        withPicture: order.withPicture ?? false,
        omitsFramedPages: order.omitsFramedPages ?? false,
      });
      isHealthy = true;
      return toResponse(order, page, toRendering(guest, startedAt, page));
    } catch (error) {
      if (error instanceof Moved) {
        isHealthy = true;
        return toResponse(order, undefined, { ...toRendering(guest, startedAt), movedTo: error.target });
      }
      return this.toFailure(error, startedAt);
    } finally {
      controller.abort();
      await withTimeout(browser.releaseTab(tab, isHealthy), CLOSE_TIMEOUT_MS);
    }
  }

  private async logIn(request: FetchRequest, login: BrowserLogin, startedAt: number): Promise<FetchOutcome> {
    const browser = await this.openBrowser();
    // A site key of its own: nothing that this login leaves behind is there at the next one.
    const tab = await this.openTab(browser, `login ${++this.loginCount}`, request.userAgent);
    if (tab instanceof Error) return createRenderFailure('render-crash', getFirstLine(tab), startedAt);
    const controller = new AbortController();
    const order: RenderInstructions = { page: NO_PAGE, obeysRobots: false };
    const guest = this.createGuest({ ...request, render: order }, order, tab, controller.signal);
    const timeLimit = request.totalTimeout ?? DEFAULT_LOGIN_MS;
    const isOver = (): boolean => performance.now() - startedAt > timeLimit;
    try {
      tab.guest = guest;
      const report = await withTimeout(new BrowserLoginRun(tab, guest, login, this.fetcher).run(isOver), timeLimit);
      if (!report) return createRenderFailure('render-timeout', 'the login took too long', startedAt);
      const page = { ...NO_PAGE, body: utf8.encode(JSON.stringify(report)) };
      return toResponse({ ...order, page }, undefined, toRendering(guest, startedAt));
    } catch (error) {
      return this.toFailure(error, startedAt);
    } finally {
      controller.abort();
      tab.guest = undefined;
      await withTimeout(browser.releaseTab(tab, false), CLOSE_TIMEOUT_MS);
    }
  }

  /** Has its own time limit: browsers have been observed never to respond to this request. */
  private async openTab(browser: Browser, key: string, userAgent: string | undefined): Promise<Tab | Error> {
    const timeLimit = Math.max(this.renderer.timeLimit, MIN_OPEN_TIMEOUT_MS);
    const tabPromise = browser.acquireTab(key, this.maxTabs, userAgent).catch((error: unknown) => error as Error);
    const tab = await withTimeout(tabPromise, timeLimit);
    if (tab) return tab;
    void tabPromise.then((lateTab) => (lateTab instanceof Error ? undefined : browser.releaseTab(lateTab, false)));
    return new Error(`no tab was opened within ${timeLimit / 1000} s`);
  }

  private toFailure(error: unknown, startedAt: number): FetchOutcome {
    if (
      performance.now() - this.lastKillAt < KILL_ATTRIBUTION_MS &&
      !(error instanceof TabFailed && error.code === 'render-timeout')
    ) {
      const limitMb = Math.round(this.renderer.memoryLimit / 1024 / 1024);
      return createRenderFailure(
        'render-memory',
        `the browser exceeded its limit of ${limitMb} MB, so the process of its largest page was killed`,
        startedAt,
      );
    }
    if (error instanceof TabFailed) return createRenderFailure(error.code, error.message, startedAt);
    return createRenderFailure('render-crash', getFirstLine(error), startedAt);
  }

  private createGuest(request: FetchRequest, order: RenderInstructions, tab: Tab, signal: AbortSignal): Guest {
    return {
      url: request.url,
      request,
      response: order.page,
      robotsAgent: this.guests.getRobotsAgent(request.fetcher),
      robotsScope: order.obeysRobots ? this.renderer.obeysRobots : 'none',
      signal,
      wantsStyles: order.withPicture ?? false,
      getCookies: async (url) => {
        const cookies = await tab.context.cookies(url).catch(() => []);
        return cookies.length === 0 ? undefined : cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      },
      onNavigate: () => undefined,
      inFlight: 0,
      activityCount: 0,
      isDocumentServed: false,
      requestCount: 0,
      ownRequestCount: 0,
      byteCount: 0,
      refusalCounts: new Map(),
    };
  }

  private async openBrowser(): Promise<Browser> {
    const current = await this.browser?.catch(() => undefined);
    if (current && !current.isWornOut) return current;
    if (this.closed) throw new BrowserMissing('the renderer is closed');
    // If several calls find the browser worn out, the first one starts a new one.
    if (current === (await this.browser?.catch(() => undefined))) {
      this.browser = this.startBrowser();
      // Longer than any page is allowed to take.
      if (current) void closeWhenIdle(current, 3 * this.renderer.timeLimit + CLOSE_TIMEOUT_MS);
    }
    return this.browser!;
  }

  private async startBrowser(): Promise<Browser> {
    const browser = await Browser.start(this.renderer, this.createRequestHandlers(), this.maxUses);
    if (this.outage || this.version === undefined) this.log.info(`pages are rendered by Chromium ${browser.version}`);
    this.outage = undefined;
    this.version = browser.version;
    if (!this.isSupervising) void this.superviseBrowser();
    return browser;
  }

  private createRequestHandlers(): RequestHandlers {
    const handleRequest: RequestHandlers['onRequest'] = (route, tab) => void this.guests.handle(route, tab?.guest);
    const { webSocketHosts } = this.renderer;
    if (webSocketHosts.length === 0) return { onRequest: handleRequest };
    const sockets = new GuestSockets(this.fetcher, this.guests, webSocketHosts);
    return { onRequest: handleRequest, onWebSocket: (route, tab) => void sockets.handle(route, tab.guest) };
  }

  /** While pages are being rendered, checks the browser's use of processor and memory against its limits. */
  private async superviseBrowser(): Promise<void> {
    this.isSupervising = true;
    while (!this.closed) {
      await sleep(WATCH_INTERVAL_MS, undefined, { ref: false });
      const browser = await this.browser?.catch(() => undefined);
      if (!browser || this.inFlight === 0) continue;
      try {
        const { cpuSeconds, memoryBytes, renderers } = await browser.supervise();
        this.processorShare.recordUsage(cpuSeconds);
        this.enforceMemoryLimit(memoryBytes, renderers);
      } catch {
        // The browser is being replaced.
      }
    }
  }

  private enforceMemoryLimit(
    totalBytes: number,
    renderers: readonly { readonly pid: number; readonly bytes: number }[],
  ): void {
    const { memoryLimit } = this.renderer;
    const largest = renderers.toSorted((a, b) => b.bytes - a.bytes)[0];
    if (!largest || (totalBytes <= memoryLimit && largest.bytes <= memoryLimit * MAX_PAGE_SHARE)) return;
    this.lastKillAt = performance.now();
    try {
      process.kill(largest.pid, 'SIGKILL');
    } catch {
      // The process has exited on its own.
    }
  }
}

async function closeWhenIdle(browser: Browser, timeLimit: number): Promise<void> {
  const deadline = performance.now() + timeLimit;
  while (browser.busyTabs > 0 && !browser.closed && performance.now() < deadline) await sleep(100);
  await browser.close();
}

/** Resolves with undefined if the time runs out first. */
async function withTimeout<T>(work: Promise<T>, timeLimit: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeLimit);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** Pages of one site share cookies and storage if they are fetched by the same fetcher, user agent and session. */
const buildSiteKey = ({ url, fetcher, userAgent, session }: FetchRequest): string =>
  JSON.stringify([URL.parse(url)?.origin, fetcher, userAgent, session?.login, session?.cookies]);

/** Leaves out cookies without a name, which browsers do not keep. */
async function addCookies({ context }: Tab, { url, session }: FetchRequest): Promise<true> {
  const pairs = session?.cookies?.split(/;\s*/) ?? [];
  const cookies = pairs.flatMap((pair) => {
    const equalsIndex = pair.indexOf('=');
    return equalsIndex < 1 ? [] : [{ name: pair.slice(0, equalsIndex), value: pair.slice(equalsIndex + 1), url }];
  });
  if (cookies.length > 0) await context.addCookies(cookies).catch(() => undefined);
  return true;
}

const utf8 = new TextEncoder();

function toResponse(
  { page }: RenderInstructions,
  renderedPage: RenderedPage | undefined,
  rendering: Rendering,
): FetchOutcome {
  const total = rendering.time;
  const timings = { header: milliseconds(0), total };
  const { status, headers } = page;
  const body = renderedPage ? utf8.encode(renderedPage.html) : page.body;
  const contentType: Record<string, string> = renderedPage ? { 'content-type': 'text/html; charset=utf-8' } : {};
  return {
    kind: 'response',
    status,
    headers: { ...headers, ...contentType },
    body,
    transferred: 0,
    address: '',
    timings,
    rendering,
  };
}

const toRendering = (guest: Guest, startedAt: number, page?: RenderedPage): Rendering => ({
  time: measureTimeSince(startedAt),
  requests: guest.requestCount,
  ownRequests: guest.ownRequestCount,
  refused: Object.fromEntries(guest.refusalCounts),
  bytes: guest.byteCount,
  routes: page?.routes ?? [],
  readiness: page?.readiness,
  picture: page?.picture,
});

const measureTimeSince = (startedAt: number): Duration => milliseconds(Math.round(performance.now() - startedAt));
const getFirstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .split('\n')[0]!
    .slice(0, 300);

function createRenderFailure(
  code: 'render-timeout' | 'render-crash' | 'render-memory',
  detail: string,
  startedAt: number,
): FetchOutcome {
  return { kind: 'failure', code, detail, timings: { header: milliseconds(0), total: measureTimeSince(startedAt) } };
}

function createUnavailableFailure(detail: string): FetchOutcome {
  return { kind: 'failure', code: 'renderer-unavailable', detail, timings: { header: seconds(0), total: seconds(0) } };
}
