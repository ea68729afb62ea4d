import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/domain/fetch/error-codes.js';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, FakeSite, html } from '../../support/fake-site.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400" ignoreRobotsTxt="true"';
const FETCHER =
  '<cw:Fetcher name="default" connectTimeoutMS="300" headerTimeoutMS="300" totalTimeoutMS="2000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';

/** What the site does instead of answering with the page, and what Crawlway calls it. */
const PERMANENT: readonly [code: keyof typeof ERROR_CODES, fault: FakePage][] = [
  ['http-404', { status: 404 }],
  ['http-410', { status: 410 }],
  ['http-401', { status: 401 }],
  ['http-403', { status: 403 }],
  ['payment-required', { status: 402 }],
  ['http-4xx', { status: 418 }],
  ['http-5xx', { status: 500 }],
  ['http-5xx', { status: 503 }],
  ['not-modified-unconditional', { status: 304 }],
  ['redirect-malformed', { status: 302, headers: { location: 'http://[' } }],
  ['redirect-malformed', { status: 302 }],
  ['redirect-loop', { status: 302, headers: { location: '/page' } }],
  ['protocol', (request) => void request.socket.end('this is not HTTP\r\n\r\n')],
  [
    'body-undecodable',
    { headers: { 'content-encoding': 'gzip', 'content-type': 'text/html' }, body: 'not gzip at all' },
  ],
  [
    'body-truncated',
    (request) =>
      void request.socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\nshort'),
  ],
];

const TEMPORARY: readonly [code: keyof typeof ERROR_CODES, fault: FakePage][] = [
  ['http-503-retry-after', { status: 503, headers: { 'retry-after': '30' } }],
  ['http-408', { status: 408 }],
  ['http-425', { status: 425 }],
  ['http-429', { status: 429 }],
  ['connection-reset', (request) => void request.socket.resetAndDestroy()],
  ['read-timeout', () => undefined],
];

describe('every row of the error table', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const page = (): string => site.url('/page');

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/page').set('/', ({ headers }) => {
      const answer = { etag: '"1"', 'content-type': 'text/html' };
      return headers['if-none-match'] === '"1"' ? { status: 304 } : { headers: answer, body: html('/', ['/page']) };
    });
    world = await CrawlWorld.start({
      attributes: ATTRIBUTES,
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      more: FETCHER,
    });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), page()]);
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  const visit = async (): Promise<void> => {
    await world.engine.maintenance.refresh('test', { url: page() });
    await world.untilIdle(minutes(0.2));
  };

  it.each(PERMANENT)(
    '%s is permanent: deletion at once, remembered, removed when it fails again',
    async (code, fault) => {
      expect(ERROR_CODES[code].class).toBe('permanent');
      site.set('/page', fault);
      await visit();
      expect(await world.state(page())).toMatchObject({ status: 'error', reason: code });
      expect(await world.indexed()).toEqual([site.url('/')]);
      const [order] = await world.engine.orders.list({ uri: page() }, undefined, 1);
      expect(order).toMatchObject({ kind: 'delete', reason: code, state: 'acknowledged' });
      await visit();
      expect(await world.state(page())).toMatchObject({ status: 'removed', reason: 'removed-after-errors' });
      // The start page, which answers 304, links to it still.
      site.page('/page');
      await world.pass(days(1));
      expect(await world.indexed()).toEqual([site.url('/'), page()]);
    },
  );

  it.each(TEMPORARY)(
    '%s is temporary: kept and counted, removed only after more in a row than allowed',
    async (code, fault) => {
      expect(ERROR_CODES[code].class).toBe('temporary');
      site.set('/page', fault);
      await visit();
      expect(await world.state(page())).toMatchObject({ status: 'error', reason: code, temporaryErrors: 1 });
      expect(await world.indexed()).toContain(page());
      await world.pass(hours(40));
      expect(await world.indexed()).toEqual([site.url('/')]);
      const [order] = await world.engine.orders.list({ uri: page() }, undefined, 1);
      expect(order).toMatchObject({ kind: 'delete', reason: 'too-many-temporary-errors' });
      // The start page, which answers 304, links to it still.
      site.page('/page');
      await world.pass(days(2));
      expect(await world.indexed()).toEqual([site.url('/'), page()]);
    },
  );

  it('a host name that does not exist is permanent, a host that refuses connections is temporary', async () => {
    const closed = await freePort();
    site.page('/', ['/page', `http://127.0.0.1:${closed}/x`, 'http://no-such-host.invalid/'], 'New links.');
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.untilIdle(minutes(0.2));
    expect(await world.state(`http://127.0.0.1:${closed}/x`)).toMatchObject({
      status: 'error',
      reason: 'connection-refused',
    });
    expect((await world.state('http://no-such-host.invalid/'))?.reason).toMatch(/^dns-/);
  });

  it('an address that is not public is refused', async () => {
    site.page('/', ['/page', 'http://10.1.2.3/'], 'A link into a private network.');
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.untilIdle(minutes(0.2));
    expect(await world.state('http://10.1.2.3/')).toMatchObject({ status: 'error', reason: 'address-forbidden' });
  });
});

async function freePort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
