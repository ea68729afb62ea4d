import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UrlState } from '../../../src/domain/crawl/url-state.js';
import { ERROR_CODES, type ErrorCode } from '../../../src/domain/fetch/error-codes.js';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import type { PageProcessor } from '../../../src/engine/ports/page-processor.js';
import type { PageResult } from '../../../src/engine/ports/page-task.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, FakeSite, html } from '../../support/fake-site.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="72000" smartRefreshMaxAgeS="86400" ignoreRobotsTxt="true"';
const FETCHER = '<cw:Fetcher name="default" maxSizeBytes="100000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
const SOFT_ERRORS =
  '<cw:SoftErrors><cw:SoftError field="content" pattern="Nothing here" status="404"/></cw:SoftErrors>';
const HTML = { 'content-type': 'text/html' };

/** The page processor reports the code: it concerns more than one page of a site, or a part that this crawl does not have. */
const REPORTED = 'reported';

/** For each code, what the site does instead of returning the page. */
const FAULTS: Readonly<Record<ErrorCode, FakePage | typeof REPORTED>> = {
  'http-404': { status: 404 },
  'http-410': { status: 410 },
  'http-401': { status: 401 },
  'payment-required': { status: 402 },
  'http-403': { status: 403 },
  'http-4xx': { status: 418 },
  'http-5xx': { status: 503 },
  'http-other': { status: 204 },
  'not-modified-unconditional': { status: 304 },
  'redirect-malformed': { status: 302, headers: { location: 'http://[' } },
  'redirect-loop': { status: 302, headers: { location: '/page' } },
  'redirect-target-gone': REPORTED,
  'redirect-to-home': REPORTED,
  'redirect-limit': REPORTED,
  'dns-not-found': REPORTED,
  'address-forbidden': REPORTED,
  'tls-expired': REPORTED,
  'tls-name': REPORTED,
  'tls-untrusted': REPORTED,
  'tls-failed': REPORTED,
  'tls-client-certificate': REPORTED,
  protocol: (request) => void request.socket.end('this is not HTTP\r\n\r\n'),
  'header-too-large': { headers: { ...HTML, 'x-padding': 'x'.repeat(300_000) } },
  'body-too-large': { headers: HTML, body: 'x'.repeat(100_001) },
  'body-truncated': (request) =>
    void request.socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\nshort'),
  'body-undecodable': { headers: { ...HTML, 'content-encoding': 'lzma' }, body: 'not lzma at all' },
  'parse-timeout': REPORTED,
  'document-too-large': REPORTED,
  'soft-error': { headers: HTML, body: html('Sorry', [], 'Nothing here') },
  'connection-failed': REPORTED,
  'http-406': { status: 406 },
  'http-408': { status: 408 },
  'http-425': { status: 425 },
  'http-429': { status: 429 },
  'bot-challenge': { status: 403, headers: { 'cf-mitigated': 'challenge' } },
  'http-503-retry-after': { status: 503, headers: { 'retry-after': '30' } },
  'connect-timeout': REPORTED,
  'read-timeout': REPORTED,
  'connection-reset': (request) => void request.socket.resetAndDestroy(),
  'connection-refused': REPORTED,
  'network-unreachable': REPORTED,
  'dns-no-answer': REPORTED,
  'robots-unreachable': REPORTED,
  'extractor-unavailable': REPORTED,
  'plugin-failed': REPORTED,
  'reading-failed': REPORTED,
  'render-timeout': REPORTED,
  'render-memory': REPORTED,
  'render-crash': REPORTED,
  'renderer-unavailable': REPORTED,
  'login-wall': REPORTED,
  'redirect-wall': REPORTED,
  'move-undecided': REPORTED,
  'redirect-target-failed': REPORTED,
  'login-failed': REPORTED,
  'quota-rendering': REPORTED,
  'proxy-failed': REPORTED,
  'one-page-everywhere': REPORTED,
  emptied: REPORTED,
  'directive-wave': REPORTED,
};

/** What is known of a page, and the last order for it. */
interface Snapshot {
  readonly state: UrlState | undefined;
  readonly isIndexed: boolean;
  readonly order: { readonly kind: string; readonly reason: string; readonly state: string } | undefined;
}

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const isPermanent = (code: ErrorCode): boolean => ERROR_CODES[code].class === 'permanent';
const isBlamedOnCrawler = (code: ErrorCode): boolean => ERROR_CODES[code].blame === 'crawler';
const isTemporary = (code: ErrorCode): boolean => !isPermanent(code) && !isBlamedOnCrawler(code);

describe('every error code', () => {
  let world: CrawlWorld;
  const sites = new Map<ErrorCode, FakeSite>();
  /** By code: after one failure, another one soon, two hours of failures, 40 hours, and the recovery. */
  const snapshots = new Map<ErrorCode, Snapshot[]>();
  /** Codes to report, by the URL of their page. */
  const reported = new Map<string, ErrorCode>();

  const reportCodes = (processor: PageProcessor): void => {
    const process = processor.process.bind(processor);
    processor.process = async (task, onReading): Promise<PageResult> => {
      const code = reported.get(task.url);
      if (!code) return process(task, onReading);
      const result = await process(task, onReading);
      return { ...result, outcome: { kind: 'error', code, detail: 'reported by the test' }, links: [], refused: [] };
    };
  };

  async function visit(codes: readonly ErrorCode[]): Promise<void> {
    for (const code of codes) await world.engine.maintenance.refresh('test', { url: sites.get(code)!.url('/page') });
    await world.untilIdle(minutes(0.2));
  }

  async function takeSnapshots(): Promise<void> {
    const indexed = new Set(await world.indexed());
    for (const code of CODES) {
      const uri = sites.get(code)!.url('/page');
      const [order] = await world.engine.orders.list({ uri }, undefined, 1);
      const snapshot = { state: await world.state(uri), isIndexed: indexed.has(uri), order };
      snapshots.set(code, [...(snapshots.get(code) ?? []), snapshot]);
    }
  }

  beforeAll(async () => {
    for (const [at, code] of CODES.entries()) {
      const site = await FakeSite.start(`127.0.1.${at + 1}`);
      sites.set(code, site);
      site.page('/page').set('/', ({ headers }) => {
        const answer = { etag: '"1"', ...HTML };
        return headers['if-none-match'] === '"1"' ? { status: 304 } : { headers: answer, body: html('/', ['/page']) };
      });
    }
    const roots = [...sites.values()].map((site) => `<Root url="${site.url('/')}" site="false"/>`).join('');
    world = await CrawlWorld.start({
      attributes: ATTRIBUTES,
      crawler: roots + SOFT_ERRORS,
      more: FETCHER,
      processor: reportCodes,
    });
    await world.untilIdle();
    expect(await world.indexed()).toHaveLength(2 * CODES.length);
    for (const [code, site] of sites) {
      const fault = FAULTS[code];
      if (fault === REPORTED) reported.set(site.url('/page'), code);
      else if (fault !== undefined) site.set('/page', fault);
    }
    await visit(CODES);
    await takeSnapshots();
    await visit(CODES.filter(isPermanent));
    await takeSnapshots();
    await world.pass(hours(2));
    await takeSnapshots();
    for (const code of CODES.filter(isBlamedOnCrawler)) reported.delete(sites.get(code)!.url('/page'));
    await world.pass(hours(38));
    await takeSnapshots();
    reported.clear();
    for (const site of sites.values()) site.page('/page');
    await world.pass(days(2));
    await takeSnapshots();
  });
  afterAll(async () => {
    await world.close();
    for (const site of sites.values()) await site.close();
    expect(world.errors).toEqual([]);
  });

  it.each(CODES.filter(isPermanent))('%s is permanent: deleted at once, and removed when it fails again', (code) => {
    const [once, again, , , recovered] = snapshots.get(code)!;
    expect(once).toMatchObject({
      state: { status: 'error', reason: code },
      isIndexed: false,
      order: { kind: 'delete', reason: code, state: 'acknowledged' },
    });
    expect(again!.state).toMatchObject({ status: 'removed', reason: 'removed-after-errors' });
    // The start page, which responds 304, still links to it.
    expect(recovered!.isIndexed).toBe(true);
  });

  it.each(CODES.filter(isTemporary))('%s is temporary: kept, and deleted after too many in a row', (code) => {
    const [once, , , later, recovered] = snapshots.get(code)!;
    expect(once).toMatchObject({ state: { status: 'error', reason: code, temporaryErrors: 1 }, isIndexed: true });
    expect(later).toMatchObject({
      isIndexed: false,
      order: { kind: 'delete', reason: 'too-many-temporary-errors', state: 'acknowledged' },
    });
    expect(recovered!.isIndexed).toBe(true);
  });

  it.each(CODES.filter(isBlamedOnCrawler))('%s is the fault of the crawler: kept, and never counted', (code) => {
    const [once, , soon, later] = snapshots.get(code)!;
    const kept = { state: { status: 'error', reason: code, temporaryErrors: 0 }, isIndexed: true };
    expect(once).toMatchObject(kept);
    expect(soon).toMatchObject(kept);
    expect(later!.state).toMatchObject({ status: 'indexed' });
  });

  it('has a fault in this file', () => {
    expect(Object.keys(FAULTS).sort()).toEqual([...CODES].sort());
  });
});

it('a host that refuses connections, an unknown host name and a private address have codes of their own', async () => {
  const site = await FakeSite.start();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const closed = `http://127.0.0.1:${port}/x`;
  site.page('/', [closed, 'http://no-such-host.invalid/', 'http://10.1.2.3/']);
  const world = await CrawlWorld.start({
    attributes: ATTRIBUTES,
    crawler: `<Root url="${site.url('/')}" site="false"/>`,
    names: {},
    more: FETCHER,
  });
  await world.untilIdle(minutes(0.2));
  expect(await world.state(closed)).toMatchObject({ status: 'error', reason: 'connection-refused' });
  expect(await world.state('http://no-such-host.invalid/')).toMatchObject({ reason: 'dns-not-found' });
  expect(await world.state('http://10.1.2.3/')).toMatchObject({ status: 'error', reason: 'address-forbidden' });
  await world.close();
  await site.close();
});
