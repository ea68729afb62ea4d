/** Fetch engine that renders: passes the fetched page to a browser and returns what its scripts made of it. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome, Rendering } from '../../domain/fetch/outcome.js';
import { type Duration, milliseconds, seconds } from '../../domain/time/units.js';
import type { FetchEngine, Fetcher, FetchRequest, RenderOrder, SocketOpener } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import { Browser, BrowserMissing, computeMaxTabs, type RequestHandlers, USUAL_WEAR } from './browser.js';
import { type Guest, GuestRequests } from './guest-requests.js';
import { GuestSockets } from './guest-sockets.js';
import { ProcessorShare } from './processor-share.js';
import { Moved, type RenderedPage, type Tab, TabFailed } from './tab.js';

const WATCH_MS = 250;
/** How long to wait after the browser could not be started. */
const START_AGAIN_MS = 60_000;
/**
 * A page that was closed for using too much memory is recognized as such for this long: a busy machine reports it late.
 */
const KILLED_MS = 30_000;
const REST_AFTER_MS = 1_000;
/** Time limit for closing a tab; after that it is abandoned. */
const CLOSE_MS = 10_000;
const COOKIES_MS = 10_000;
/**
 * Minimum time for opening a tab, even if the page itself has less: a slow start on a busy machine says nothing about
 * the page.
 */
const OPEN_MS = 10_000;
/** Share of the memory limit that one page may use. */
const SHARE_OF_ONE_PAGE = 0.6;

export class BrowserEngine implements FetchEngine {
  readonly engine = 'browser';
  private browser: Promise<Browser> | undefined;
  private missing: { readonly problem: string; readonly until: number } | undefined;
  private readonly waiting: (() => void)[] = [];
  private inFlight = 0;
  private version: string | undefined;
  private lastKill = Number.NEGATIVE_INFINITY;
  private watching = false;
  private closed = false;
  private readonly guests: GuestRequests;
  private readonly share: ProcessorShare;
  private readonly most: number;

  constructor(
    private readonly renderer: RendererDefinition,
    fetchers: readonly FetcherDefinition[],
    private readonly fetcher: Fetcher & SocketOpener,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly wear = USUAL_WEAR,
  ) {
    this.guests = new GuestRequests(fetcher, fetchers, renderer.blockedHosts);
    this.share = new ProcessorShare(renderer.maxShare * availableParallelism());
    this.most = computeMaxTabs(renderer);
  }

  /** The request must say what to render. */
  async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const order = request.render;
    if (!order) throw new Error('A request to the browser must contain the page to be rendered.');
    if (this.missing && this.missing.until > performance.now()) return createUnavailableFailure(this.missing.problem);
    await this.acquireSlot();
    const startedAt = performance.now();
    try {
      signal?.throwIfAborted();
      return await this.render(request, order, startedAt);
    } catch (error) {
      if (!(error instanceof BrowserMissing)) throw error;
      if (!this.missing) this.log.warn(error.message);
      this.missing = { problem: error.message, until: performance.now() + START_AGAIN_MS };
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

  private async acquireSlot(): Promise<void> {
    if (this.inFlight >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inFlight++;
    for (let wait = this.share.computeWaitTime(); wait > 0 && !this.closed; wait = this.share.computeWaitTime())
      await sleep(Math.min(1_000, wait * 1_000));
  }

  private releaseSlot(): void {
    const next = this.waiting.shift();
    if (next) next();
    else if (--this.inFlight === 0) void this.stopIdleScriptsSoon();
  }

  /** Pages that no one reads any more would keep their timers running. */
  private async stopIdleScriptsSoon(): Promise<void> {
    await sleep(REST_AFTER_MS, undefined, { ref: false });
    if (this.inFlight === 0) await this.browser?.then((browser) => browser.stopIdleScripts()).catch(() => undefined);
  }

  private async render(request: FetchRequest, order: RenderOrder, startedAt: number): Promise<FetchOutcome> {
    const browser = await this.openBrowser();
    const key = buildSiteKey(request);
    const tab = await this.openTab(browser, key, request.userAgent ?? order.userAgent);
    if (tab instanceof Error)
      return createRenderFailure('render-crash', `the browser could not open a page: ${firstLine(tab)}`, startedAt);
    const controller = new AbortController();
    const guest = this.createGuest(request, order, tab, controller.signal);
    let isFine = false;
    try {
      if (!(await withTimeout(addCookies(tab, request), COOKIES_MS)))
        return createRenderFailure('render-crash', 'the browser did not accept the session cookies', startedAt);
      const timeLimit = Math.min(this.renderer.timeLimit, request.totalTimeout ?? Number.POSITIVE_INFINITY);
      const readyWhen = order.readyWhen ?? this.renderer.readyWhen;
      const page = await tab.render({
        guest,
        readyWhen,
        steps: order.steps,
        timeLimit,
        withPicture: order.withPicture ?? false,
      });
      isFine = true;
      return toResponse(order, page, toRendering(guest, startedAt, page));
    } catch (error) {
      if (error instanceof Moved) {
        isFine = true;
        return toResponse(order, undefined, { ...toRendering(guest, startedAt), movedTo: error.target });
      }
      return this.toFailure(error, startedAt);
    } finally {
      controller.abort();
      await withTimeout(browser.releaseTab(tab, isFine), CLOSE_MS);
    }
  }

  /** The only request to which browsers have been seen not to respond at all. */
  private async openTab(browser: Browser, key: string, userAgent: string | undefined): Promise<Tab | Error> {
    const within = Math.max(this.renderer.timeLimit, OPEN_MS);
    const taken = browser.acquireTab(key, this.most, userAgent).catch((error: unknown) => error as Error);
    const tab = await withTimeout(taken, within);
    if (tab) return tab;
    void taken.then((late) => (late instanceof Error ? undefined : browser.releaseTab(late, false)));
    return new Error(`nothing was opened within ${within / 1000} s`);
  }

  private toFailure(error: unknown, startedAt: number): FetchOutcome {
    if (
      performance.now() - this.lastKill < KILLED_MS &&
      !(error instanceof TabFailed && error.code === 'render-timeout')
    ) {
      const most = Math.round(this.renderer.memoryLimit / 1024 / 1024);
      return createRenderFailure(
        'render-memory',
        `the browser exceeded its limit of ${most} MB, so its largest page was closed`,
        startedAt,
      );
    }
    if (error instanceof TabFailed) return createRenderFailure(error.code, error.message, startedAt);
    return createRenderFailure('render-crash', firstLine(error), startedAt);
  }

  private createGuest(request: FetchRequest, order: RenderOrder, tab: Tab, signal: AbortSignal): Guest {
    return {
      url: request.url,
      request,
      answer: order.page,
      agent: this.guests.getRobotsAgent(request.fetcher),
      obeysRobots: order.obeysRobots ? this.renderer.obeysRobots : 'none',
      signal,
      styled: order.withPicture ?? false,
      cookies: async (url) => {
        const cookies = await tab.context.cookies(url).catch(() => []);
        return cookies.length === 0 ? undefined : cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      },
      onNavigate: () => undefined,
      inFlight: 0,
      activity: 0,
      answered: false,
      requests: 0,
      ownRequests: 0,
      bytes: 0,
      refused: new Map(),
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
      if (current) void closeWhenIdle(current, 3 * this.renderer.timeLimit + CLOSE_MS);
    }
    return this.browser!;
  }

  private async startBrowser(): Promise<Browser> {
    const browser = await Browser.start(this.renderer, this.createRequestHandlers(), this.wear);
    if (this.missing || this.version === undefined) this.log.info(`pages are rendered by Chromium ${browser.version}`);
    this.missing = undefined;
    this.version = browser.version;
    if (!this.watching) void this.superviseBrowser();
    return browser;
  }

  private createRequestHandlers(): RequestHandlers {
    const request: RequestHandlers['onRequest'] = (route, tab) => void this.guests.handle(route, tab?.guest);
    const { webSocketHosts } = this.renderer;
    if (webSocketHosts.length === 0) return { onRequest: request };
    const sockets = new GuestSockets(this.fetcher, this.guests, webSocketHosts);
    return { onRequest: request, onWebSocket: (route, tab) => void sockets.handle(route, tab.guest) };
  }

  /** While there is work, checks the browser's use of processor and memory against its limits. */
  private async superviseBrowser(): Promise<void> {
    this.watching = true;
    while (!this.closed) {
      await sleep(WATCH_MS, undefined, { ref: false });
      const browser = await this.browser?.catch(() => undefined);
      if (!browser || this.inFlight === 0) continue;
      try {
        const { cpu, bytes, renderers } = await browser.supervise();
        this.share.recordUsage(cpu);
        this.enforceMemoryLimit(bytes, renderers);
      } catch {
        // It is being replaced.
      }
    }
  }

  private enforceMemoryLimit(
    bytes: number,
    renderers: readonly { readonly pid: number; readonly bytes: number }[],
  ): void {
    const { memoryLimit } = this.renderer;
    const largest = renderers.toSorted((a, b) => b.bytes - a.bytes)[0];
    if (!largest || (bytes <= memoryLimit && largest.bytes <= memoryLimit * SHARE_OF_ONE_PAGE)) return;
    this.lastKill = performance.now();
    try {
      process.kill(largest.pid, 'SIGKILL');
    } catch {
      // It has exited on its own.
    }
  }
}

async function closeWhenIdle(browser: Browser, within: number): Promise<void> {
  const until = performance.now() + within;
  while (browser.busy > 0 && !browser.closed && performance.now() < until) await sleep(100);
  await browser.close();
}

/** Undefined if the time runs out first. */
async function withTimeout<T>(work: Promise<T>, within: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), within);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Pages share cookies and storage with the other pages of their site that are fetched in the same way. */
const buildSiteKey = ({ url, fetcher, userAgent, session }: FetchRequest): string =>
  JSON.stringify([URL.parse(url)?.origin, fetcher, userAgent, session?.login, session?.cookies]);

/** Leaves out cookies that no browser would keep, as requests do. */
async function addCookies({ context }: Tab, { url, session }: FetchRequest): Promise<true> {
  const pairs = session?.cookies?.split(/;\s*/) ?? [];
  const cookies = pairs.flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals < 1 ? [] : [{ name: pair.slice(0, equals), value: pair.slice(equals + 1), url }];
  });
  if (cookies.length > 0) await context.addCookies(cookies).catch(() => undefined);
  return true;
}

const utf8 = new TextEncoder();

function toResponse({ page }: RenderOrder, rendered: RenderedPage | undefined, rendering: Rendering): FetchOutcome {
  const total = rendering.time;
  const timings = { header: milliseconds(0), total };
  const { status, headers } = page;
  const body = rendered ? utf8.encode(rendered.html) : page.body;
  const type: Record<string, string> = rendered ? { 'content-type': 'text/html; charset=utf-8' } : {};
  return {
    kind: 'response',
    status,
    headers: { ...headers, ...type },
    body,
    transferred: 0,
    address: '',
    timings,
    rendering,
  };
}

const toRendering = (guest: Guest, startedAt: number, page?: RenderedPage): Rendering => ({
  time: timeSince(startedAt),
  requests: guest.requests,
  ownRequests: guest.ownRequests,
  refused: Object.fromEntries(guest.refused),
  bytes: guest.bytes,
  routes: page?.routes ?? [],
  readiness: page?.readiness,
  picture: page?.picture,
});

const timeSince = (startedAt: number): Duration => milliseconds(Math.round(performance.now() - startedAt));
const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .split('\n')[0]!
    .slice(0, 300);

function createRenderFailure(
  code: 'render-timeout' | 'render-crash' | 'render-memory',
  detail: string,
  startedAt: number,
): FetchOutcome {
  return { kind: 'failure', code, detail, timings: { header: milliseconds(0), total: timeSince(startedAt) } };
}

function createUnavailableFailure(detail: string): FetchOutcome {
  return { kind: 'failure', code: 'renderer-unavailable', detail, timings: { header: seconds(0), total: seconds(0) } };
}
