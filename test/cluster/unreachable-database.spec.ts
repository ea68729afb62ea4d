import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { findCutDelays } from '../support/cut-delays.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const SITES = 4;
const PAGES = 44;
const THROTTLE_MS = 250;
/** Longer than a lease. */
const CUT_MS = 12_000;

const pages = (site: FakeSite): string[] => Array.from({ length: PAGES }, (_, n) => site.url(`/${n}`));

async function web(): Promise<FakeSite[]> {
  const sites = await Promise.all(Array.from({ length: SITES }, () => FakeSite.start()));
  for (const site of sites) {
    onTestFinished(() => site.close());
    for (let n = 0; n < PAGES; n++)
      site.page(`/${n}`, n + 1 < PAGES ? [`/${n + 1}`, `/${Math.min(n + 2, PAGES - 1)}`] : []);
  }
  return sites;
}

const CUTS = ['silent', 'refusing'] as const;

it('nodes that lose the database, silently or by refusal, crawl on when it is back: no crawl delay is cut short, nothing is missing', async () => {
  const folder = temporaryDirectory();
  const [sites, database] = await Promise.all([web(), postgresDatabase()]);
  const { hostname, port } = new URL(database);
  const proxies = await Promise.all(CUTS.map(() => TcpProxy.start({ host: hostname, port: Number(port) })));
  for (const proxy of proxies) onTestFinished(() => proxy.close());
  const orders = join(folder, 'orders.jsonl');
  const start = async (name: string, url: string): Promise<RunningServer> => {
    const config = join(folder, `${name}.xml`);
    writeFileSync(
      config,
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" nthreads="8" throttleTimeMS="${THROTTLE_MS}" defaultAccept="true" crawlSitemaps="false">
    ${sites.map((site) => `<Root url="${site.url('/0')}" site="false"/>`).join('')}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="${orders}"/>
</CrawlConfig>`,
    );
    const options = readServerOptions(
      { config, data: join(folder, name), port: '0' },
      { CRAWLWAY_DATABASE_URL: url, CRAWLWAY_FILE_SINKS: folder },
    );
    const server = await serve(options, { log: SILENT, withSample: false });
    onTestFinished(() => server.close());
    return server;
  };
  const cutOff = await Promise.all(
    CUTS.map((how, i) => start(how, database.replace(`:${port}/`, `:${proxies[i]!.port}/`))),
  );
  await start('other', database);
  const pushed = (): string[] => {
    const lines = readFileSync(orders, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
    return [...new Set(lines.map((line) => (JSON.parse(line) as { uri: string }).uri))].sort();
  };
  await expect.poll(() => pushed().length).toBeGreaterThan(SITES * 5);

  for (const [i, how] of CUTS.entries()) proxies[i]!.cut(how);
  await new Promise((resolve) => setTimeout(resolve, CUT_MS));
  for (const proxy of proxies) proxy.heal();

  await expect.poll(pushed, { interval: 200 }).toEqual(sites.flatMap(pages).sort());
  for (const node of cutOff) {
    await expect.poll(async () => (await node.engine.getReadiness()).ready).toBe(true);
    await expect.poll(async () => (await node.engine.getCrawler('test')).idle).toBe(true);
  }
  for (const site of sites) {
    expect(findCutDelays(site, THROTTLE_MS)).toEqual([]);
  }
}, 120_000);
