import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { ElasticsearchSink } from '../../src/adapters/push/elasticsearch.js';
import type { OrderRecord } from '../../src/adapters/push/order-record.js';
import { FakeSite, html } from '../support/fake-site.js';
import { describeUnless } from '../support/left-out.js';
import { sinkDefinition, stillWanted } from '../support/push-orders.js';
import { startReceiver } from '../support/receivers/http-receiver.js';
import { ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type SearchEngine, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

const missing = searchEngineIsMissing('opensearch');
/** `CRAWLWAY_TEST_BACKFILL=20000` for as many as a site of some size has. */
const DOCUMENTS = Number(process.env['CRAWLWAY_TEST_BACKFILL'] ?? 2_000);
const LINKS_A_PAGE = 100;
vi.setConfig({ testTimeout: 300_000 + DOCUMENTS * 100 });

interface Backfill {
  readonly state: 'running' | 'done';
  readonly startedAt: string;
  readonly done: number;
  readonly sent: number;
  readonly total: number;
}

interface Kept {
  readonly stamp: string;
  readonly text: string;
  readonly title: string | undefined;
}

/** As many pages as are wanted, each led to by one of the lists that the home page links to. */
async function largeSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  const lists = Math.ceil(DOCUMENTS / LINKS_A_PAGE);
  const linked = (count: number, path: (n: number) => string) => Array.from({ length: count }, (_, n) => path(n));
  const page = (path: string, links: readonly string[]) => ({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: html(`Title of ${path}`, links, `The herons of ${path} wait in the reeds.`),
  });
  return site
    .set('/robots.txt', { status: 404 })
    .set(
      '/',
      page(
        '/',
        linked(lists, (list) => `/list/${list}`),
      ),
    )
    .elsewhere((path) => {
      const [, kind, n] = /^\/(list|page)\/(\d+)$/.exec(path) ?? [];
      if (kind === undefined) return undefined;
      const first = Number(n) * LINKS_A_PAGE;
      const count = Math.min(LINKS_A_PAGE, DOCUMENTS - first);
      return page(path, kind === 'list' ? linked(count, (i) => `/page/${first + i}`) : []);
    });
}

/** The documents after these orders, by URI. */
function after(orders: Iterable<OrderRecord>): Map<string, Kept> {
  const documents = new Map<string, Kept>();
  for (const { kind, uri, document } of orders) {
    if (kind === 'delete' || !document) documents.delete(uri);
    else documents.set(uri, { stamp: document.stamp, text: document.text, title: titleOf(document.metas) });
  }
  return documents;
}

const titleOf = (metas: readonly { readonly name: string; readonly value: string }[]) =>
  metas.find(({ name }) => name === 'title')?.value;

const sorted = (documents: ReadonlyMap<string, Kept>) => [...documents].sort(([a], [b]) => (a < b ? -1 : 1));

describeUnless(missing, `A new OpenSearch gets ${DOCUMENTS} documents`, () => {
  let engine: SearchEngine;
  beforeAll(async () => {
    engine = await startSearchEngine('opensearch');
  }, 900_000);
  afterAll(() => engine?.close());

  /** Crawls into the sink `first`, adds an index, kills the server in the middle of filling it, starts it again, until all is there. */
  async function filled(index: string, firstSink: string, folder: string) {
    const site = await largeSite();
    const data = join(folder, 'data');
    mkdirSync(data);
    const config = join(folder, 'CrawlConfig.xml');
    const write = (...sinks: string[]): void =>
      writeFileSync(
        config,
        `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
            <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false"
                nearDuplicateDetector="false" smartRefreshMinAgeS="86400">
              <Root url="${site.url('/')}" site="true"/>${sinks.map((sink) => `<cw:PushTo sink="${sink}"/>`).join('')}
              <cw:Traps maxPatternUrls="1000000"/>
            </Crawler>
            <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
            ${firstSink}
            <cw:Sink name="added" type="opensearch" url="${engine.url}" index="${index}"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Sink>
          </CrawlConfig>`,
      );
    write('first');
    const start = async () => {
      const server = new ServerProcess({ config, data });
      onTestFinished(() => void server.end());
      await server.ready();
      return server;
    };
    const all = DOCUMENTS + Math.ceil(DOCUMENTS / LINKS_A_PAGE) + 1;
    const first = await start();
    const crawler = async () =>
      (await (await fetch(`${first.url}/api/v1/crawlers/test`)).json()) as { indexed: number; pendingOrders: number };
    await expect.poll(crawler, { timeout: 120_000 + DOCUMENTS * 20, interval: 500 }).toMatchObject({ indexed: all });
    expect(await first.end('SIGTERM')).toBe(0);

    write('first', 'added');
    const second = await start();
    const midway = await untilBackfill(second, ({ done }) => done >= all / 3);
    await second.end('SIGKILL');
    expect(midway).toMatchObject({ state: 'running', total: all });
    expect(midway.done).toBeLessThan(all);

    const third = await start();
    const again = await untilBackfill(third, ({ state }) => state === 'done');
    expect(again).toMatchObject({ startedAt: midway.startedAt, total: all });
    await expect.poll(() => pendingAt(third)).toBe(0);
    console.log(`${index}: killed at ${midway.done} of ${all}, ${again.sent} copied from another sink`);
    return { index: await held(index), site, again };
  }

  /** All of the index, with what can be searched. */
  async function held(index: string): Promise<Map<string, Kept>> {
    const sink = new ElasticsearchSink(sinkDefinition({ type: 'opensearch', url: engine.url, options: { index } }));
    onTestFinished(() => sink.close());
    const uris: string[] = [];
    for await (const { uri } of sink.listEntries(stillWanted())) uris.push(uri);
    const kept = new Map<string, Kept>();
    for (let i = 0; i < uris.length; i += 500)
      for (const { document } of await sink.readDocuments(uris.slice(i, i + 500), stillWanted()))
        kept.set(document.uri, { stamp: document.stamp, text: document.text, title: titleOf(document.metas) });
    return kept;
  }

  it('from a file sink, killed in the middle: equal to the file in the end', async () => {
    const folder = temporaryDirectory();
    const sink = '<cw:Sink name="first" type="file" url="orders.jsonl"/>';
    const { index, again } = await filled(`from-file-${process.pid}`, sink, folder);
    const lines = readFileSync(join(folder, 'data', 'orders.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(again.sent).toBeGreaterThan(0);
    expect(sorted(index)).toEqual(sorted(after(lines.map((line) => JSON.parse(line) as OrderRecord))));
  });

  it('by visits, killed in the middle: equal to another sink in the end', async () => {
    const taken: OrderRecord[] = [];
    const receiver = await startReceiver(({ method, body }) => {
      if (method === 'POST') taken.push(...(JSON.parse(body.toString()) as { orders: OrderRecord[] }).orders);
      return { status: 200 };
    });
    const sink = `<cw:Sink name="first" type="json" url="${receiver.url}/"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Sink>`;
    const { index, again } = await filled(`by-visits-${process.pid}`, sink, temporaryDirectory());
    expect(again.sent).toBe(0);
    expect(sorted(index)).toEqual(sorted(after(taken)));
  });
});

async function sinkOf(server: ServerProcess): Promise<{ pending: number; backfills: Backfill[] }> {
  const answer = (await (await fetch(`${server.url}/api/v1/sinks`)).json()) as { items: { name: string }[] };
  return answer.items.find(({ name }) => name === 'added') as never;
}

const pendingAt = async (server: ServerProcess): Promise<number> => (await sinkOf(server)).pending;

async function untilBackfill(server: ServerProcess, wanted: (backfill: Backfill) => boolean): Promise<Backfill> {
  for (;;) {
    const [backfill] = (await sinkOf(server)).backfills;
    if (backfill && (wanted(backfill) || backfill.state === 'done')) return backfill;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
