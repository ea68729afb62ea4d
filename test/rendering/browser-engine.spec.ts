/** The engine alone: what it asks the web, and how it renews what wears out. Left out where there is no Chromium. */
import { globSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MaxUses } from '../../src/adapters/browser/browser.js';
import { BrowserEngine } from '../../src/adapters/browser/browser-engine.js';
import { readConfiguration } from '../../src/adapters/config-xml/read.js';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { loadRegistrableDomains } from '../../src/adapters/system/registrable-domain.js';
import type { HttpResponse } from '../../src/domain/fetch/outcome.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, itUnless, noBrowser, notLinux } from '../support/left-out.js';
import { QUIET, SANDBOX } from './rendering-world.js';

let site: FakeSite;
let engine: BrowserEngine | undefined;
let http: HttpFetcher | undefined;

function open(attributes = '', wear?: MaxUses): BrowserEngine {
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
    <cw:Renderer ${SANDBOX} ${attributes.includes('timeLimitMS') ? '' : 'timeLimitMS="150000"'} ${attributes}/>
    <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.1/32"/></cw:Fetcher></CrawlConfig>`;
  const { definition } = readConfiguration(xml, { file: 'test', readFile: () => '', env: {} });
  http = new HttpFetcher(definition!.fetchers);
  engine = new BrowserEngine(
    definition!.renderer!,
    definition!.fetchers,
    http,
    QUIET,
    loadRegistrableDomains,
    undefined,
    wear,
  );
  return engine;
}

/** `url`: a path of the site, or the URL of a page elsewhere. */
async function rendered(browser: BrowserEngine, url: string, body: string, cookies?: string): Promise<HttpResponse> {
  const page = {
    status: 200,
    headers: { 'content-type': 'text/html' },
    address: '127.0.0.1',
    body: new TextEncoder().encode(body),
  };
  const outcome = await browser.fetch({
    url: new URL(url, site.origin).href,
    fetcher: 'default',
    engine: 'browser',
    session: cookies === undefined ? undefined : { cookies },
    render: { page, obeysRobots: true },
  });
  if (outcome.kind === 'failure') throw new Error(`${outcome.code}: ${outcome.detail}`);
  return outcome;
}

const textOf = ({ body }: HttpResponse): string => new TextDecoder().decode(body);

/** The first process of each browser that this one has started. */
function browsers(): number[] {
  const children = globSync(`/proc/${process.pid}/task/*/children`)
    .flatMap((file) => readFileSync(file, 'utf8').trim().split(' '))
    .filter(Boolean);
  return children
    .filter((pid) => /chrom/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? ''))
    .map(Number);
}

beforeEach(async () => {
  site = await FakeSite.start();
});

afterEach(async () => {
  await engine?.close();
  await http?.close();
  await site.close();
});

describeUnless(noBrowser, 'the rendering engine', () => {
  itUnless(notLinux, 'replaces tabs and browsers after a number of pages', async () => {
    const browser = open('', { tab: 2, browser: 3 });
    const seen = new Set<number>();
    for (let page = 1; page <= 7; page++) {
      const answer = await rendered(browser, `/${page}`, `<script>document.write('page ' + ${page})</script>`);
      expect(textOf(answer)).toContain(`page ${page}`);
      for (const pid of browsers()) seen.add(pid);
    }
    expect(seen.size).toBe(3);
    await browser.close();
  });

  describeUnless(notLinux, 'gives a page up when the browser does not respond', () => {
    it.each([
      ['that it go to the page', '', '/2', undefined, 'render-timeout: the browser did not open the page'],
      [
        'for a tab',
        '',
        'http://other.test/',
        undefined,
        'render-crash: the browser could not open a page: no tab was opened',
      ],
      [
        'that it close another',
        'pages="1"',
        'http://other.test/',
        undefined,
        'render-crash: the browser could not open a page',
      ],
      ['for cookies', '', '/2', 'id=1', 'render-crash: the browser did not accept the session cookies'],
    ])('asking for %s', async (_what, attributes, path, cookies, error) => {
      const browser = open(`timeLimitMS="10000" ${attributes}`);
      await rendered(browser, '/1', 'awake', cookies);
      const [pid] = browsers();
      process.kill(pid!, 'SIGSTOP');
      try {
        await expect(rendered(browser, path, 'asleep', cookies)).rejects.toThrow(error);
      } finally {
        process.kill(pid!, 'SIGCONT');
      }
    });
  });

  itUnless(notLinux, 'returns a page whose old tab the browser does not close', async () => {
    site.set('/data', { body: 'what it asked for' });
    const browser = open('', { tab: 1, browser: 10 });
    const [fetcher, pids] = [http!, new Set<number>()];
    const fetch = fetcher.fetch.bind(fetcher);
    // The requests of a page are called off when it has been read, just before its tab is closed.
    vi.spyOn(fetcher, 'fetch').mockImplementation((request, signal) => {
      const stop = (pid: number) => process.kill(pid, 'SIGSTOP') && pids.add(pid);
      signal?.addEventListener('abort', () => browsers().forEach(stop), { once: true });
      return fetch(request, signal);
    });
    const script = `<p id=p></p><script>fetch('/data').then((answer) => answer.text()).then((text) => { p.textContent = text; })</script>`;
    try {
      expect(textOf(await rendered(browser, '/1', script))).toContain('what it asked for');
      expect(pids.size).toBe(1);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    expect(textOf(await rendered(browser, '/2', 'awake again'))).toContain('awake again');
  });

  const LOADER = `<p id=p></p><script>
    Promise.allSettled(['/data', '/open'].map((url) => fetch(url).then((answer) => answer.text())))
      .then((all) => { p.textContent = all.map(({ value }) => value ?? 'nothing').join(' and '); });
  </script>`;

  it.each([
    ['documents', 'forbidden data and open data'],
    ['all', 'nothing and open data'],
  ])('obeys robots.txt for the requests of a page: %s', async (renderObeysRobots, expected) => {
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /data' });
    site.set('/data', { body: 'forbidden data' }).set('/open', { body: 'open data' });
    const answer = await rendered(open(`renderObeysRobots="${renderObeysRobots}"`), '/', LOADER);
    expect(textOf(answer)).toContain(expected);
    expect(answer.rendering!.refused['robots'] ?? 0).toBe(renderObeysRobots === 'all' ? 1 : 0);
    expect(site.fetched.includes('/data')).toBe(renderObeysRobots === 'documents');
  });

  itUnless(notLinux, 'runs with a lower priority than other programs, even if root runs it', async () => {
    const browser = open();
    const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const fetch = http!.fetch.bind(http);
    vi.spyOn(http!, 'fetch').mockImplementation(async (request, signal) => {
      asked.resolve();
      await mayAnswer.promise;
      return fetch(request, signal);
    });
    const page = rendered(browser, '/', LOADER);
    await asked.promise;
    const isBehind = (pid: number): boolean => getPriority(pid) >= getPriority();
    await expect.poll(() => browsers().map(isBehind)).toEqual([true]);
    mayAnswer.resolve();
    await page;
  });

  it('reads another route of the open document', async () => {
    const browser = open();
    const body = `<p id=p></p><script>p.textContent = 'route ' + location.hash</script>`;
    expect(textOf(await rendered(browser, '/app#/one', body))).toContain('route #/one');
    expect(textOf(await rendered(browser, '/app#/two', body))).toContain('route #/two');
    expect(textOf(await rendered(browser, '/app', body))).toContain('route <');
  });
});

it('without a browser reports once what to do, and renders nothing', async () => {
  const warnings: string[] = [];
  const xml = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1"><cw:Renderer path="/nowhere/chromium"/></CrawlConfig>`;
  const { definition } = readConfiguration(xml, { file: 'test', readFile: () => '', env: {} });
  const fetcher = new HttpFetcher(definition!.fetchers);
  const missing = new BrowserEngine(
    definition!.renderer!,
    definition!.fetchers,
    fetcher,
    {
      ...QUIET,
      warn: (message) => void warnings.push(message),
    },
    loadRegistrableDomains,
  );
  const request = {
    url: site.url('/'),
    fetcher: 'default',
    engine: 'browser',
    render: { page: { status: 200, headers: {}, address: '127.0.0.1', body: new Uint8Array() }, obeysRobots: true },
  };
  for (let n = 0; n < 2; n++)
    expect(await missing.fetch(request)).toMatchObject({ kind: 'failure', code: 'renderer-unavailable' });
  expect(warnings).toEqual([expect.stringContaining('/nowhere/chromium is not an executable file')]);
  await fetcher.close();
});
