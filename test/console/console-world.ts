/**
 * What the console's tests look at: a real server with a real crawl of a small site, pushing to the bundled index, and the
 * system's Chromium. Everything is on this machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIndex, startIndex } from '../../demo-index/server.js';
import type { CrawlerView } from '../../src/engine/views/crawler-views.js';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { FlakyReceiver } from '../support/flaky-receiver.js';
import { buildConsole } from './build-console.js';

export interface WorldOptions {
  /** As in CRAWLWAY_API_KEYS. */
  readonly keys?: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Content of CrawlConfig; `SITE`, `INDEX` and `RECEIVER` stand for the addresses. */
  readonly configuration?: string;
  /** Sets the pages of the site before it is crawled; by default, they are those of a museum. */
  readonly site?: (site: FakeSite) => void;
}

/** Two rules, a page that fails, a redirect, a folder that the second rule keeps out. */
export const CONFIGURATION = `
  <Crawler name="docs" aggressive="true" throttleTimeMS="0" crawlSitemaps="false">
    <Root url="SITE/" site="true"/>
    <Rules group="default">
      <Rule><ar:Atom field="url" kind="prefix" norm="none" litteral="true" value="SITE/"/><Index/><Follow/><Accept/></Rule>
      <Rule><ar:Atom field="path" kind="prefix" norm="none" litteral="true" value="/private/"/><Ignore/></Rule>
    </Rules>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="INDEX" connector="test"/>`;

export class ConsoleWorld {
  private constructor(
    readonly site: FakeSite,
    readonly index: RunningIndex,
    /** Stands before the index and can refuse what comes. */
    readonly receiver: FlakyReceiver,
    readonly server: RunningServer,
    private readonly folder: string,
  ) {}

  static async start({
    keys,
    env,
    configuration = CONFIGURATION,
    site: setPages = museum,
  }: WorldOptions = {}): Promise<ConsoleWorld> {
    await buildConsole();
    const site = await FakeSite.start();
    setPages(site);
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-console-'));
    const index = await startIndex({ port: 0, host: '127.0.0.1', file: join(folder, 'index.sqlite') });
    const receiver = await FlakyReceiver.start(index.url);
    mkdirSync(join(folder, 'config'));
    const file = join(folder, 'config', 'CrawlConfig.xml');
    const addresses = { SITE: site.origin, INDEX: index.url, RECEIVER: receiver.url };
    writeFileSync(file, filled(configuration, addresses));
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
    const options = readServerOptions(
      { config: file, data: join(folder, 'data'), port: '0' },
      { ...env, ...(keys === undefined ? {} : { CRAWLWAY_API_KEYS: keys }) },
    );
    return new ConsoleWorld(site, index, receiver, await serve(options, { log, withSample: false }), folder);
  }

  /** Until the crawler has read all there is and the index has it. */
  async caughtUp(crawler = 'docs'): Promise<CrawlerView> {
    for (;;) {
      const view = await this.server.engine.getCrawler(crawler);
      if (view.idle && view.pendingOrders === 0 && view.counts.indexed > 0) return view;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await this.server.close();
    await Promise.all([this.site.close(), this.receiver.close(), this.index.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const museum = (site: FakeSite): FakeSite =>
  site
    .page('/', [
      '/guide/',
      '/news.html',
      '/private/staff.html',
      '/old.html',
      '/missing.html',
      'https://elsewhere.example/',
    ])
    .page('/guide/', ['/guide/lamps.html', '/guide/lenses.html'])
    .page('/guide/lamps.html', [], 'A lamp of brass.')
    .page('/guide/lenses.html')
    .page('/news.html')
    .set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: '# museum\nUser-agent: *\nDisallow: /attic/\n',
    })
    .page('/private/staff.html', [], 'The keeper has a telescope.')
    .set('/old.html', { status: 301, headers: { location: '/news.html' } });

const filled = (configuration: string, addresses: Readonly<Record<string, string>>): string =>
  Object.entries(addresses).reduce((text, [name, url]) => text.replaceAll(name, url), document(configuration));

const document = (content: string): string => `<?xml version="1.0"?>
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">${content}
</CrawlConfig>
`;
