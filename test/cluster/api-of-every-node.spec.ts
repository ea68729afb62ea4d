import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readServerOptions } from '../../src/server/options.js';
import { type RunningServer, serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { postgresDatabase } from '../support/postgres.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a crawling node and an API-only node', () => {
  let site: FakeSite;
  let folder: string;
  let database: string;
  let crawling: RunningServer;
  let api: RunningServer;

  const configuration = (rule = ''): string => `<CrawlConfig
  xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
    <Root url="${site.url('/')}" site="false"/>${rule}<cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="file" url="${join(folder, 'orders.jsonl')}"/>
</CrawlConfig>`;

  async function start(name: string, roles: string): Promise<RunningServer> {
    const config = join(folder, `${name}.xml`);
    writeFileSync(config, configuration());
    const flags = { config, data: join(folder, name), port: '0' };
    const env = { CRAWLWAY_DATABASE_URL: database, CRAWLWAY_ROLES: roles, CRAWLWAY_FILE_SINKS: folder };
    const server = await serve(readServerOptions(flags, env), { log: SILENT, withSample: false });
    onTestFinished(() => server.close());
    return server;
  }

  const call = async (server: RunningServer, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.url}/api/v1/${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const post = (server: RunningServer, path: string, body?: unknown) =>
    call(server, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const indexed = async (): Promise<number> => (await call(api, 'crawlers/test')).body.indexed;
  const orders = (): string[] =>
    readFileSync(join(folder, 'orders.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; uri: string })
      .map(({ kind, uri }) => `${kind} ${new URL(uri).pathname}`);

  beforeEach(async () => {
    folder = temporaryDirectory();
    database = await postgresDatabase();
    site = await FakeSite.start();
    onTestFinished(() => site.close());
    site.page('/', ['/a.html', '/b.html', 'ftp://ftp.example.com/']).page('/a.html').page('/b.html').page('/c.html');
    crawling = await start('crawling', 'crawl');
    api = await start('api', 'api');
    await expect.poll(indexed).toBe(3);
  });

  it('the crawling node serves probes and metrics only', async () => {
    expect((await call(crawling, 'crawlers')).status).toBe(404);
    expect((await fetch(`${crawling.url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${crawling.url}/metrics`)).status).toBe(200);
  });

  it('the API node returns what only the crawling node knows: rates, idleness, health, robots.txt, refused links, sinks', async () => {
    await expect.poll(async () => (await call(api, 'crawlers/test')).body.idle).toBe(true);
    const { body } = await call(api, 'crawlers/test');
    expect(body).toMatchObject({ state: 'running', active: 0, pendingOrders: 0, limitedBy: { kind: 'nothing-due' } });
    expect(body.pagesPerSecond).toBeGreaterThan(0);
    expect(body.ordersPerSecond).toBeGreaterThan(0);
    expect(body.sources.map(({ picks }: { picks: number }) => picks).reduce((a: number, b: number) => a + b)).toBe(3);
    expect((await call(api, 'sinks')).body.items).toMatchObject([{ name: 'main', acknowledged: 3, pending: 0 }]);
    const known = { successShare: 1, robots: { status: '404' } };
    expect((await call(api, `hosts/${new URL(site.origin).host}`)).body).toMatchObject(known);
    expect((await call(api, 'hosts?crawler=test')).body.items).toMatchObject([known]);
    const explained = await call(api, `crawlers/test/explain?url=${encodeURIComponent(site.url('/a.html'))}`);
    expect(explained.body.robots).toMatchObject({ state: 'allowed', status: '404' });
    expect((await call(api, 'crawlers/test/refused')).body.items).toMatchObject([
      { reason: 'protocol-not-allowed', count: 1 },
    ]);
    site.set('/slow.html', () => undefined);
    await post(api, 'crawlers/test/roots', { url: site.url('/slow.html') });
    await expect.poll(async () => (await call(api, 'crawlers/test')).body.active).toBe(1);
    expect((await call(api, 'crawlers/test')).body).toMatchObject({
      idle: false,
      limitedBy: { kind: 'last-pages' },
    });
  });

  it.each(['one URL is', 'all URLs are'])(
    'a page that changes while the crawling node visits it is visited once more if %s refreshed on the API node',
    async (what) => {
      const html = { 'content-type': 'text/html' };
      const requested = Promise.withResolvers<() => void>();
      site.set('/a.html', (_request, response) => {
        requested.resolve(() => void response.writeHead(200, html).end('<title>Second</title>'));
        return undefined;
      });
      const url = site.url('/a.html');
      await post(api, 'crawlers/test/refresh', { url });
      const answer = await requested.promise;
      site.set('/a.html', { headers: html, body: '<title>Third</title>' });
      const { status } = await post(api, 'crawlers/test/refresh', what === 'one URL is' ? { url } : { like: '%.html' });
      expect(status).toBe(200);
      answer();
      const readSink = () => readFileSync(join(folder, 'orders.jsonl'), 'utf8');
      await expect.poll(readSink).toContain('Third');
    },
  );

  it('requests to the API node are carried out by the crawling node: roots, refresh, clear, pauses', async () => {
    expect((await post(api, 'crawlers/test/roots', { url: site.url('/c.html') })).status).toBe(201);
    await expect.poll(indexed).toBe(4);
    const page = await call(api, `crawlers/test/page?url=${encodeURIComponent(site.url('/'))}`);
    expect(page.body).toMatchObject({ outcome: 'document', status: 200 });
    site.forgetRequests();
    await post(api, 'crawlers/test/refresh', { url: site.url('/a.html') });
    await expect.poll(() => site.fetched).toContain('/a.html');
    await call(api, `crawlers/test/urls?like=${encodeURIComponent('%/b.html')}&confirm=true`, { method: 'DELETE' });
    await expect.poll(indexed).toBe(3);
    await expect.poll(orders).toContain('delete /b.html');
    await post(api, 'crawlers/test/pause');
    await expect.poll(async () => (await crawling.engine.getCrawler('test')).state).toBe('paused');
  });

  it('a configuration applied on the API node takes effect on the crawling node, whose events are streamed here', async () => {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const events = await fetch(`${api.url}/api/v1/events`, { signal: gone.signal });
    const seen: string[] = [];
    void (async () => {
      for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) seen.push(chunk);
    })().catch(() => undefined);
    const { headers } = await call(api, 'config');
    const answer = await call(api, 'config?confirm=true', {
      method: 'PUT',
      headers: { 'content-type': 'application/xml', 'if-match': headers.get('etag')! },
      body: configuration('<Rules><Rule><ar:Path value="/b\\.html"/><Ignore/></Rule></Rules>'),
    });
    expect(answer.status).toBe(200);
    await expect.poll(() => crawling.engine.definition.crawlers[0]!.rules.length).toBe(1);
    await expect.poll(indexed).toBe(2);
    await expect
      .poll(
        async () => {
          await post(api, 'crawlers/test/refresh', { url: site.url('/a.html') });
          return seen.join('');
        },
        { interval: 500 },
      )
      .toContain('event: visit');
  });
});
