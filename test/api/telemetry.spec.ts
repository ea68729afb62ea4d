import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { builtProgram } from '../support/crawlway-command.js';
import { metricsOf, type ReceivedSpan, resourceOf, spansOf } from '../support/otlp.js';
import { startReceiver } from '../support/receivers/http-receiver.js';
import { smallCrawl } from '../support/small-crawl.js';

vi.setConfig({ testTimeout: 180_000 });

const SECRET = 'key-of-the-collector';

it('a collector receives a trace of each visit with its parts, linked deliveries, and all Prometheus metrics', async () => {
  const collector = await startReceiver(() => ({ status: 200, body: {} }));
  const { site, server, caughtUp } = await smallCrawl({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
    OTEL_SERVICE_NAME: 'crawl-of-the-harbour',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
  });
  await caughtUp();
  const spans = (): ReceivedSpan[] => spansOf(collector.exchanges);
  const visitsOf = (path: string): ReceivedSpan[] =>
    spans().filter(({ name, attributes }) => name === 'visit' && attributes['url.full'] === site.url(path));
  // The first visit of a host is put back when it has brought robots.txt.
  const endOf = (path: string) =>
    visitsOf(path).find(({ attributes }) => attributes['crawlway.outcome'] !== 'put-back');
  const partsOf = (visit: ReceivedSpan | undefined): ReceivedSpan[] =>
    spans().filter(({ parentSpanId, traceId }) => parentSpanId === visit?.spanId && traceId === visit?.traceId);
  for (const path of ['/', '/a', '/b']) {
    const names = () => partsOf(endOf(path)).map(({ name }) => name);
    await expect.poll(() => names().sort()).toEqual(['decide', 'extract', 'fetch', 'links', 'robots', 'settle']);
    expect(endOf(path)?.attributes).toMatchObject({
      'crawlway.crawler': 'test',
      'crawlway.outcome': 'document',
      'http.response.status_code': 200,
    });
  }
  expect(partsOf(endOf('/')).every(({ start, end }) => start <= end)).toBe(true);
  await expect
    .poll(() => endOf('/missing'))
    .toMatchObject({
      attributes: { 'crawlway.outcome': 'error', 'error.type': 'http-404' },
      status: { code: 2 },
    });

  const deliveries = (): ReceivedSpan[] => spans().filter(({ name }) => name === 'deliver');
  const linked = () => deliveries().flatMap(({ links }) => links.map(({ spanId }) => spanId));
  const wanted = ['/', '/a', '/b'].map((path) => endOf(path)!.spanId);
  await expect.poll(() => linked().sort()).toEqual(wanted.sort());
  expect(deliveries()[0]).toMatchObject({ attributes: { 'crawlway.sink': 'main', 'crawlway.sink_type': 'file' } });

  const page = await (await fetch(`${server.url}/metrics`)).text();
  const named = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const valued = named.filter((name) => new RegExp(`^${name}(?:_sum)?(?:\\{.*\\})? [-\\d]`, 'm').test(page));
  const names = (): string[] => metricsOf(collector.exchanges).map(({ name }) => name);
  await expect.poll(() => names().sort()).toEqual(expect.arrayContaining(valued.sort()));
  expect(names().filter((name) => !named.includes(name))).toEqual([]);
  const orders = () => metricsOf(collector.exchanges).find(({ name }) => name === 'crawlway_orders_total');
  const added = JSON.stringify({ crawler: 'test', kind: 'add', state: 'acknowledged' });
  await expect.poll(() => orders()?.values.get(added)).toBe(3);

  expect(resourceOf(collector.exchanges)).toMatchObject({
    'service.name': 'crawl-of-the-harbour',
    'service.version': expect.any(String),
    'service.instance.id': expect.any(String),
  });
  expect(collector.exchanges.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true);
  expect(await server.end('SIGTERM')).toBe(0);
  expect(server.output).not.toContain(SECRET);
});

it('a collector that is down costs one log line per signal, and delays neither a page nor the shutdown', async () => {
  const { caughtUp, server } = await smallCrawl({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}/?key=${SECRET}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '100',
  });
  await caughtUp();
  const lines = () => server.output.split('\n').filter((line) => line.includes('"level":"warn"'));
  await expect
    .poll(lines)
    .toEqual([
      expect.stringContaining('the collector is not accepting'),
      expect.stringContaining('the collector is not accepting'),
    ]);
  expect(await server.end('SIGTERM')).toBe(0);
  expect(lines()).toHaveLength(2);
  expect(server.output).not.toContain(SECRET);
});

it('the SDK is in a separate file that is not loaded at start', ({ skip }) => {
  const program = builtProgram();
  if (program === '') skip('the program is not built');
  const files = readdirSync(program).filter((name) => name.endsWith('.js'));
  const having = (text: RegExp) => files.filter((name) => text.test(readFileSync(join(program, name), 'utf8')));
  expect(having(/BatchSpanProcessor/)).toEqual([expect.stringMatching(/^open-telemetry-/)]);
  expect(having(/from ?["'`]\.\/open-telemetry-/)).toEqual([]);
  expect(having(/import\(["'`]\.\/open-telemetry-/)).toHaveLength(1);
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
