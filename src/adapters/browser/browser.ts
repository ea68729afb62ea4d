/** One browser with its pages, from its start until it is replaced. */
import { randomBytes } from 'node:crypto';
import { availableParallelism, getPriority } from 'node:os';
import type { BrowserContext, CDPSession, Browser as Chromium, Page, Route, WebSocketRoute } from 'playwright-core';
import type { RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import { capPriority, createBrowserEnvironment, readPrivateMemory } from './browser-process.js';
import { findBrowser, findBrowserProblem } from './find-browser.js';
import { createInitScript } from './page-scripts.js';
import { Tab } from './tab.js';

/**
 * The browser can reach the network only through intercepted requests: no name resolves, and the proxy does not exist.
 */
const LAUNCH_ARGUMENTS = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-gpu',
  '--mute-audio',
  '--disable-blink-features=WebBluetooth,WebUSB', // a second --disable-features would replace Playwright's list
  '--disk-cache-size=1',
];

/** Number of pages after which a tab or a browser is replaced, to free whatever it has leaked. */
export interface MaxUses {
  readonly tab: number;
  readonly browser: number;
}

export const DEFAULT_MAX_USES: MaxUses = { tab: 100, browser: 1_500 };
const LAUNCH_TIMEOUT_MS = 30_000;

/** Responds to the requests of a browser's pages. */
export interface RequestHandlers {
  onRequest(route: Route, tab: Tab | undefined): void;
  /** Absent if pages may not open WebSockets. */
  onWebSocket?(route: WebSocketRoute, tab: Tab): void;
}

export class BrowserMissing extends Error {
  override readonly name = 'BrowserMissing';
}

interface Site {
  readonly key: string;
  readonly context: Promise<BrowserContext>;
  readonly idleTabs: Tab[];
  /** Tabs that are open or are being opened. */
  tabCount: number;
}

export interface BrowserUsage {
  /** Processor seconds used by all its processes since they started. */
  readonly cpuSeconds: number;
  /** Memory of each renderer process in bytes; 0 if unknown. */
  readonly renderers: readonly { readonly pid: number; readonly bytes: number }[];
  /** Memory of all processes in bytes. */
  readonly memoryBytes: number;
}

export class Browser {
  uses = 0;
  busyTabs = 0;
  closed = false;
  /** Pages under one key share cookies and storage. */
  private readonly sites = new Map<string, Site>();
  private readonly tabs = new Map<Page, { readonly tab: Tab; readonly site: Site }>();
  private readonly recordsName = `__${randomBytes(6).toString('hex')}`;
  private session: CDPSession | undefined;

  private constructor(
    private readonly chromium: Chromium,
    private readonly handlers: RequestHandlers,
    private readonly remote: boolean,
    private readonly maxUses: MaxUses,
  ) {
    chromium.on('disconnected', () => {
      this.closed = true;
    });
  }

  /** Throws BrowserMissing, whose message says what to do, if no browser can be started. */
  static async start(
    renderer: RendererDefinition,
    handlers: RequestHandlers,
    maxUses = DEFAULT_MAX_USES,
  ): Promise<Browser> {
    const problem = findBrowserProblem(renderer);
    if (problem !== undefined) throw new BrowserMissing(problem);
    const { chromium } = await import('playwright-core');
    try {
      const browser =
        renderer.url === undefined
          ? await chromium.launch({
              executablePath: findBrowser(renderer),
              headless: true,
              chromiumSandbox: renderer.sandbox,
              args: LAUNCH_ARGUMENTS,
              timeout: LAUNCH_TIMEOUT_MS,
              env: createBrowserEnvironment(process.env),
              handleSIGHUP: false,
              handleSIGINT: false,
              handleSIGTERM: false,
            })
          : await chromium.connectOverCDP(renderer.url, { timeout: LAUNCH_TIMEOUT_MS });
      return new Browser(browser, handlers, renderer.url !== undefined, maxUses);
    } catch (error) {
      const [firstLine = ''] = String(error instanceof Error ? error.message : error).split('\n');
      const hint = renderer.sandbox && /sandbox|namespace/i.test(String(error)) ? SANDBOX_HINT : '';
      throw new BrowserMissing(`the browser failed to start: ${firstLine.slice(0, 300)}${hint}`);
    }
  }

  get version(): string {
    return this.chromium.version();
  }

  get isWornOut(): boolean {
    return this.uses >= this.maxUses.browser || this.closed;
  }

  /**
   * Tabs with the same key share cookies and storage. The limit applies to all open tabs; the caller makes sure that
   * fewer than that are busy.
   */
  async acquireTab(key: string, maxTabs: number, userAgent: string | undefined): Promise<Tab> {
    this.busyTabs++;
    this.uses++;
    try {
      const idleTab = this.sites.get(key)?.idleTabs.pop();
      if (idleTab) return idleTab;
      while (this.tabs.size >= maxTabs && (await this.closeIdleTab()));
      return await this.openTab(key, userAgent);
    } catch (error) {
      this.busyTabs--;
      throw error;
    }
  }

  async releaseTab(tab: Tab, isHealthy: boolean): Promise<void> {
    const site = this.tabs.get(tab.page)?.site;
    try {
      if (isHealthy && site && tab.uses < this.maxUses.tab && !this.closed) {
        this.sites.delete(site.key);
        this.sites.set(site.key, site); // moves the site to the end: it is now the most recently used
        site.idleTabs.push(tab);
      } else if (site) await this.closeTab(site, tab, isHealthy);
    } finally {
      this.busyTabs--;
    }
  }

  /** Stops the scripts of idle tabs, which would otherwise run for as long as their page exists. */
  async stopIdleScripts(): Promise<void> {
    const idleTabs = [...this.sites.values()].flatMap((site) => site.idleTabs.splice(0).map((tab) => ({ site, tab })));
    for (const { site, tab } of idleTabs) {
      await tab.stopScripts();
      site.idleTabs.push(tab);
    }
  }

  /**
   * Returns what the browser's processes use, and lowers the priority of those that have raised theirs above this
   * thread's.
   */
  async supervise(): Promise<BrowserUsage> {
    this.session ??= await this.chromium.newBrowserCDPSession();
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    this.capPriorities(processInfo.map(({ id }) => id));
    const sizes = processInfo.map(({ id, type }) => ({
      pid: id,
      type,
      bytes: this.remote ? 0 : readPrivateMemory(id),
    }));
    return {
      cpuSeconds: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
      renderers: sizes.filter(({ type }) => type === 'renderer'),
      memoryBytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.chromium.close().catch(() => undefined);
  }

  /** Pages without rendering take precedence: no browser process may have a higher priority than the calling thread. */
  private capPriorities(pids: readonly number[]): void {
    if (this.remote) return;
    const niceness = getPriority(0);
    for (const pid of pids) capPriority(pid, niceness);
  }

  private async openTab(key: string, userAgent: string | undefined): Promise<Tab> {
    const site = this.sites.get(key) ?? { key, context: this.openContext(userAgent), idleTabs: [], tabCount: 0 };
    this.sites.set(key, site);
    site.tabCount++;
    try {
      const tab = await Tab.open(await site.context, this.recordsName);
      const { onWebSocket: handleWebSocket } = this.handlers;
      if (handleWebSocket) await tab.page.routeWebSocket(/.*/, (route) => handleWebSocket(route, tab));
      this.tabs.set(tab.page, { tab, site });
      return tab;
    } catch (error) {
      await this.removeTab(site);
      throw error;
    }
  }

  private async openContext(userAgent: string | undefined): Promise<BrowserContext> {
    const context = await this.chromium.newContext({
      acceptDownloads: false,
      serviceWorkers: 'block',
      permissions: [],
      userAgent,
      viewport: { width: 1280, height: 2_000 },
    });
    await context.addInitScript(createInitScript(this.recordsName));
    await context.route('**/*', (route) => this.handlers.onRequest(route, this.findTab(route)));
    await context.routeWebSocket(/.*/, (socket) => void socket.close());
    context.on('page', (page) => {
      // A page with an opener is a window opened by another page, not by `openTab`.
      void page.opener().then((opener) => opener && page.close().catch(() => undefined));
    });
    return context;
  }

  private findTab(route: Route): Tab | undefined {
    try {
      return this.tabs.get(route.request().frame().page())?.tab;
    } catch {
      return undefined; // the frame does not exist yet, or the worker's page is gone
    }
  }

  /** Closes an idle tab of the least recently used site; resolves with false if no tab is idle. */
  private async closeIdleTab(): Promise<boolean> {
    for (const site of this.sites.values()) {
      const tab = site.idleTabs.shift();
      if (!tab) continue;
      await this.closeTab(site, tab, true);
      return true;
    }
    return false;
  }

  private async closeTab(site: Site, tab: Tab, isHealthy: boolean): Promise<void> {
    this.tabs.delete(tab.page);
    await this.removeTab(site, isHealthy ? tab.page.close().catch(() => undefined) : tab.kill());
  }

  /** Removes a tab; the last one closes the site's context, and a page that arrives in the meantime gets a new one. */
  private async removeTab(site: Site, closing?: Promise<void>): Promise<void> {
    const isLast = --site.tabCount === 0;
    if (isLast && this.sites.get(site.key) === site) this.sites.delete(site.key);
    await closing;
    if (!isLast) return;
    const contextClosed = site.context.then((context) => context.close()).catch(() => undefined);
    await Promise.race([contextClosed, new Promise((resolve) => setTimeout(resolve, 3_000))]);
  }
}

const SANDBOX_HINT =
  '. Its sandbox needs user namespaces, which this container may not have: allow them (see docs/rendering.md), or, if the container itself confines the browser, set sandbox="false" on cw:Renderer';

/** The default exceeds the number of processors, because pages spend half of their time waiting. */
export const computeMaxTabs = ({ pages }: Pick<RendererDefinition, 'pages'>): number =>
  pages ?? Math.min(8, availableParallelism() + 2);
