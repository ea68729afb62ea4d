/** What must survive the death of a server: a change that is held, and a redirect whose new address has not arrived. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Program } from '../api/program.js';
import { FakeSite } from '../support/fake-site.js';
import { FlakyReceiver } from '../support/flaky-receiver.js';
import { createPage, write } from '../support/guarded-sites.js';
import { postgresDatabase } from '../support/postgres.js';
import { enumerate, runningIndex } from '../support/push-index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const PATHS = Array.from({ length: 7 }, (_, i) => `/topic-${i}`);
const ALL = ['/', ...PATHS];
const MAINTENANCE = createPage('Wartung', 'We are working on our site and will be back for you as soon as we can.');
const OVERLOAD = createPage('Error', `The database has too many connections. ${write('database', 30)}`);
const OFTEN = { interval: 100 };

type Order = Record<'kind' | 'reason' | 'uri' | 'stamp', string>;

async function start() {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  recover(site);
  const index = await runningIndex();
  const receiver = await FlakyReceiver.start(index.url);
  onTestFinished(() => receiver.close());
  const config = join(temporaryDirectory(), 'CrawlConfig.xml');
  writeFileSync(
    config,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" crawlSitemaps="false" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400">
    <Root url="${site.url('/')}"/><cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="${receiver.url}" connector="docs"/>
</CrawlConfig>`,
  );
  const indexed = async (): Promise<string[]> => {
    const lines = (await enumerate(index, '?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS')).split('\n');
    return lines
      .filter((line) => line !== '')
      .map((line) => new URL(decodeURIComponent(line.split(' ')[0]!)).pathname)
      .sort();
  };
  return { site, receiver, config, indexed, documents: ALL.toSorted() };
}

function recover(site: FakeSite): void {
  site.set('/', createPage('Home', write('home'), '', PATHS));
  for (const path of PATHS) site.set(path, createPage(`Page ${path}`, write(path)));
}

async function node(config: string, data: string, env: Record<string, string> = {}) {
  const program = new Program(['serve', '--config', config, '--data', data, '--port', '0', '--no-sample'], { env });
  const [, url] = await program.said(/ready.*?(http:\/\/[\w.:]+)/s);
  const call = async (method: string, path: string, body?: object) => {
    const headers = body ? { 'content-type': 'application/json' } : undefined;
    const response = await fetch(`${url}/api/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
    // Bodies are what the test makes of them: a wrong guess fails the test.
    // biome-ignore lint/suspicious/noExplicitAny: see above
    return (await response.json()) as any;
  };
  const refresh = () => call('POST', 'crawlers/test/refresh', { like: '%' });
  const countHeld = async (): Promise<number> =>
    (await call('GET', 'held-deletions')).items.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  return { program, call, refresh, countHeld };
}

it('a held change is known and dropped by every node, and survives the one that held it', async () => {
  const { site, config, indexed, documents } = await start();
  const env = { CRAWLWAY_DATABASE_URL: await postgresDatabase() };
  const host = new URL(site.origin).host;
  const nodes = [await node(config, temporaryDirectory(), env), await node(config, temporaryDirectory(), env)];
  await expect.poll(indexed, OFTEN).toEqual(documents);
  for (const [i, { call, refresh }] of nodes.entries()) {
    const text = i === 0 ? MAINTENANCE : OVERLOAD;
    for (const path of ALL) site.set(path, text);
    await refresh();
    for (const { countHeld } of nodes) await expect.poll(countHeld, OFTEN).toBe(ALL.length);
    // One of the two does not crawl the host, and has its owner drop what is held.
    expect(await call('POST', `held-deletions/${host}/drop`)).toEqual({ count: ALL.length });
    for (const { countHeld } of nodes) await expect.poll(countHeld, OFTEN).toBe(0);
    const seen = site.requests.length;
    await refresh();
    // A page that is asked for again while it is on its way is visited once.
    const visited = () => [...new Set(site.requests.slice(seen).map(({ path }) => path))].sort();
    await expect.poll(visited, OFTEN).toEqual(expect.arrayContaining(documents));
    for (const { call: ask } of nodes)
      await expect.poll(async () => (await ask('GET', 'crawlers/test')).idle, OFTEN).toBe(true);
  }
  for (const path of ALL) site.set(path, MAINTENANCE);
  await nodes[1]!.refresh();
  await expect.poll(nodes[1]!.countHeld, OFTEN).toBe(ALL.length);
  nodes[0]!.program.signal('SIGKILL');
  await nodes[0]!.program.ended;
  recover(site);
  await nodes[1]!.refresh();
  await expect.poll(nodes[1]!.countHeld, OFTEN).toBe(0);
  // What was due when a node died may have been on its way to the sinks, so the same document is sent once more.
  const orders: Order[] = (await nodes[1]!.call('GET', 'orders?state=acknowledged&limit=100')).items;
  const first = orders.filter(({ reason }) => reason !== 'reconciled');
  expect(first.map(({ reason, uri }) => `${reason} ${new URL(uri).pathname}`).sort()).toEqual(
    documents.map((path) => `indexed ${path}`),
  );
  const stamps = new Map(first.map(({ uri, stamp }) => [uri, stamp]));
  for (const { kind, uri, stamp } of orders) expect([kind, stamp]).toEqual(['add', stamps.get(uri)]);
  expect(await indexed()).toEqual(documents);
}, 240_000);

it.each(['requests the new address', 'delivers what is there'])(
  'an old address stays although the server is killed while it %s',
  async (moment) => {
    const { site, receiver, config, indexed, documents } = await start();
    const data = temporaryDirectory();
    const first = await node(config, data);
    await expect.poll(indexed, OFTEN).toEqual(documents);
    const page = createPage('Page', write('/topic-3'));
    let isRequested = false;
    let isDelivered = false;
    site.set('/new', () => {
      isRequested = true;
      return moment === 'requests the new address' ? undefined : page;
    });
    receiver.fate = (body) => {
      if (!body.includes('%2Fnew') && !body.includes('/new')) return 'pass';
      isDelivered = true;
      return 'say nothing';
    };
    site.set('/topic-3', { status: 301, headers: { location: '/new' } });
    await first.refresh();
    await expect.poll(() => isRequested && (isDelivered || moment === 'requests the new address'), OFTEN).toBe(true);
    first.program.signal('SIGKILL');
    await first.program.ended;
    expect(await indexed()).toEqual(documents);
    site.set('/new', page);
    receiver.fate = () => 'pass';
    await node(config, data);
    const moved = ['/new', ...documents.filter((path) => path !== '/topic-3')].sort();
    const seen: string[][] = [];
    const look = async (): Promise<string[]> => {
      seen.push(await indexed());
      return seen.at(-1)!;
    };
    await expect.poll(look, OFTEN).toEqual(moved);
    for (const paths of seen) expect(paths.includes('/new') || paths.includes('/topic-3')).toBe(true);
  },
  120_000,
);
