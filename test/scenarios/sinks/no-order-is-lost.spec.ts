import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hours, milliseconds, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, FakeSite, filling, html } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';

const MEGABYTE = 1024 * 1024;
/** As in the engine: bytes that may wait for one sink, and what may be in flight when that is reached. */
const MOST_BYTES = (16 + 2 * 8 + 1) * MEGABYTE;

describe('no order is lost at a sink that fails, refuses or loses data', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let receiver: FlakyReceiver;

  /** A world whose crawler pushes through the receiver to the index. */
  const start = async (paths: readonly string[], text: (path: string) => string): Promise<void> => {
    site.page('/', paths);
    for (const path of paths) site.page(path, [], text(path));
    const crawler = `<Root url="${site.url('/')}"/>`;
    world = await CrawlWorld.start({
      attributes: 'nearDuplicateDetector="false"',
      crawler,
      through: receiver,
      asksIdleSinks: true,
    });
  };
  const everything = (paths: readonly string[]): string[] => ['/', ...paths].map((path) => site.url(path)).sort();

  beforeEach(async () => {
    site = await FakeSite.start();
    receiver = await FlakyReceiver.start();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await receiver.close();
    await site.close();
  });

  it('while a sink is down for an hour, memory is bounded; the crawl waits, states why, and catches up', async () => {
    const paths = Array.from({ length: 48 }, (_, i) => `/p${i}`);
    receiver.fate = () => 'fail';
    await start(paths, (path) => `${path} ${filling(MEGABYTE)}`);
    let mostBytes = 0;
    for (let minute = 0; minute < 60; minute += 10) {
      await world.pass(minutes(10));
      const [sink] = world.engine.listSinks();
      expect(sink).toMatchObject({ state: 'unavailable', acknowledged: 0 });
      mostBytes = Math.max(mostBytes, sink!.pendingBytes);
    }
    expect(mostBytes).toBeGreaterThan(8 * MEGABYTE);
    expect(mostBytes).toBeLessThan(MOST_BYTES);
    expect(site.fetched.length).toBeLessThan(paths.length);
    expect((await world.engine.getCrawler('test')).limitedBy).toMatchObject({ kind: 'sink-unavailable', sink: 'main' });
    expect(await world.engine.urls.count({ crawler: 'test', indexed: true })).toBe(0);

    receiver.fate = () => 'pass';
    await world.untilIdle(minutes(5));
    expect(await world.indexed()).toEqual(everything(paths));
    expect(world.engine.listSinks()[0]).toMatchObject({ state: 'ready', pending: 0, pendingBytes: 0 });
  });

  it('orders wait for a full batch while a page is expected within a second, and the last ones do not wait', async () => {
    const paths = Array.from({ length: 6 }, (_, i) => `/p${i}`);
    site.page('/', paths);
    for (const path of paths) site.page(path, [], `text of ${path}`);
    const mergeWork: number[] = [];
    receiver.fate = (body) => {
      const documents = body.split('text of').length - 1;
      if (documents > 0) mergeWork.push(documents);
      return 'pass';
    };
    const attributes = 'nearDuplicateDetector="false" aggressive="false" throttleTimeMS="300"';
    world = await CrawlWorld.start({ attributes, crawler: `<Root url="${site.url('/')}"/>`, through: receiver });
    const startedAt = world.clock.now();
    await world.untilIdle();
    expect(await world.indexed()).toEqual(everything(paths));
    // robots.txt and seven pages, 300 ms apart.
    expect({ mergeWork, took: world.clock.now() - startedAt }).toEqual({ mergeWork: [3, 3], took: 2_100 });
  });

  it('an idle sink is checked every five minutes, and the crawler knows when it is unavailable', async () => {
    await start(['/p0'], () => 'some text');
    await world.untilIdle();
    let asked = 0;
    receiver.fate = (_, path) => {
      // The listing tells each minute whether the sink was emptied.
      if (!path.includes('enumerate_synced_entries')) asked++;
      return 'pass';
    };
    await world.pass(minutes(20));
    expect(asked).toBe(4);
    expect(world.engine.listSinks()).toMatchObject([{ state: 'ready' }]);

    receiver.fate = () => 'fail';
    await world.pass(minutes(5));
    expect(world.engine.listSinks()).toMatchObject([{ state: 'unavailable', pending: 0 }]);
    expect((await world.engine.getCrawler('test')).limitedBy).toMatchObject({
      kind: 'sink-unavailable',
      message: expect.stringContaining('503'),
    });

    receiver.fate = () => 'pass';
    await world.pass(minutes(5));
    expect(world.engine.listSinks()).toMatchObject([{ state: 'ready' }]);
  });

  it('a document that the sink refuses is isolated from its batch, set aside, and sent again manually', async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `/p${i}`);
    receiver.fate = (body) => (body.includes('poison') ? 'refuse' : 'pass');
    await start(paths, (path) => (path === '/p7' ? 'poison' : `Text of ${path}.`));
    await world.untilIdle();
    const healthy = everything(paths).filter((url) => url !== site.url('/p7'));
    expect(await world.indexed()).toEqual(healthy);
    const refused = await world.engine.orders.list({ state: 'refused' }, undefined, 10);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ uri: site.url('/p7'), kind: 'add', reason: 'indexed' });
    expect(refused[0]!.answer).toContain('this document is poison');
    expect(await world.state(site.url('/p7'))).toMatchObject({ status: 'visited', reason: 'order-refused' });

    receiver.fate = () => 'pass';
    await world.engine.orders.retry(refused[0]!.id);
    await world.untilIdle();
    expect(await world.engine.orders.list({ state: 'refused' }, undefined, 10)).toEqual([]);
    expect(await world.indexed()).toEqual(everything(paths));
  });

  it('a sink that refuses every document is unavailable: nothing is set aside, and the crawl waits', async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `/p${i}`);
    receiver.fate = (body) => (body.includes('Text of') ? 'refuse' : 'pass');
    await start(paths, (path) => `Text of ${path}.`);
    const events: string[] = [];
    world.engine.events.observe((event) => void events.push(JSON.stringify(event)));
    await world.pass(minutes(20));
    const [sink] = world.engine.listSinks();
    expect(sink).toMatchObject({ state: 'unavailable', refused: 0, acknowledged: 0 });
    expect(sink!.message).toContain('the sink refuses every order');
    expect(sink!.message).toContain('this document is poison');
    expect((await world.engine.getCrawler('test')).limitedBy).toMatchObject({ kind: 'sink-unavailable', sink: 'main' });
    expect(await world.engine.orders.list({ state: 'refused' }, undefined, 10)).toEqual([]);
    expect(events.filter((event) => event.includes('unavailable')).length).toBeGreaterThan(0);
    receiver.fate = () => 'pass';
    await world.untilIdle(minutes(5));
    expect(await world.indexed()).toEqual(everything(paths));
    expect(world.engine.listSinks()[0]).toMatchObject({ state: 'ready', refused: 0, pending: 0 });
  });

  it.each([
    ['moves', 'comes to the new address'],
    ['is taken out', 'comes to the sink in its place'],
  ])('an order whose sink %s while it is in flight %s', async (change) => {
    const moved = (await FakeSite.start()).set('/', {});
    onTestFinished(() => moved.close());
    const asked = Promise.withResolvers<() => void>();
    site.page('/').set('/sink', (_request, response) => {
      asked.resolve(() => response.writeHead(503).end());
      return undefined;
    });
    const attributes = 'name="test" aggressive="true" defaultAccept="true" crawlSitemaps="false"';
    const definition = (sink: string, more = '') => ({
      crawler: `<Crawler ${attributes}><Root url="${site.url('/')}"/><cw:PushTo sink="${sink}"/></Crawler>`,
      more,
    });
    const other = (url: string) => definition('other', `<cw:Sink name="other" type="json" url="${url}"/>`);
    world = await CrawlWorld.start(other(site.url('/sink')));
    let fail: (() => void) | undefined;
    asked.promise.then((end) => {
      fail = end;
    });
    // The batch may wait for company.
    while (!fail) {
      world.clock.advance(milliseconds(100));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await world.reconfigure(change === 'moves' ? other(moved.url('/')) : definition('main'));
    fail();
    await world.untilIdle();
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'indexed' });
    expect(site.requests.filter(({ path }) => path === '/sink')).toHaveLength(1);
  });

  it('lost responses do no harm: what arrives twice is stored once', async () => {
    const paths = Array.from({ length: 20 }, (_, i) => `/p${i}`);
    let calls = 0;
    receiver.fate = () => (calls++ % 3 === 1 ? 'lose answer' : 'pass');
    await start(paths, (path) => `Text of ${path}.`);
    await world.untilIdle(hours(1));
    expect(receiver.failures).toBeGreaterThan(0);
    expect(await world.indexed()).toEqual(everything(paths));
    expect(await world.engine.urls.count({ crawler: 'test', indexed: true })).toBe(paths.length + 1);
  });

  it('reconciliation reports missing, surplus and stale documents, and repairs them on request', async () => {
    const paths = ['/a', '/b', '/c'];
    await start(paths, (path) => `Text of ${path}.`);
    await world.untilIdle();
    const push = (command: string, fields: Record<string, string>) =>
      fetch(`${world.index!.url}/papi/4/connectors/test/${command}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
    await push('delete_documents', { PAPI_uri: site.url('/a') });
    await push('add_documents', { 'PAPI_1:uri': site.url('/b'), 'PAPI_1:stamp': 'of another time' });
    await push('add_documents', { 'PAPI_1:uri': 'http://elsewhere.example/', 'PAPI_1:stamp': 'x' });
    await push('set_checkpoint', { PAPI_checkpoint: '1', PAPI_name: 'test', PAPI_sync: 'true' });
    const found = {
      missing: { count: 1, samples: [site.url('/a')] },
      extra: { count: 1, samples: ['http://elsewhere.example/'] },
      stale: { count: 1, samples: [site.url('/b')] },
    };
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({ ...found, repaired: false });
    await world.untilIdle();
    expect(await world.indexed()).not.toContain(site.url('/a'));

    expect(await world.during(world.engine.reconciliation.run('main', true))).toMatchObject({
      ...found,
      repaired: true,
    });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(everything(paths));
    const nothing = { count: 0, samples: [] };
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({
      missing: nothing,
      extra: nothing,
      stale: nothing,
    });
  });

  it('a reconciliation with deletions fails when the sink becomes unavailable, and can be resumed', async () => {
    await start(['/a'], () => 'Some text.');
    await world.untilIdle();
    await fetch(`${world.index!.url}/papi/4/connectors/test/add_documents`, {
      method: 'POST',
      body: new URLSearchParams({ 'PAPI_1:uri': 'http://elsewhere.example/', 'PAPI_1:stamp': 'x' }),
    });
    receiver.fate = (body) => (body.includes('elsewhere.example') ? 'fail' : 'pass');
    const message = /^sink main is slow or down and has not deleted http:\/\/elsewhere\.example\/$/;
    await expect(world.during(world.engine.reconciliation.run('main', true))).rejects.toThrow(message);
    expect(world.engine.listSinks()).toMatchObject([{ pending: 0 }]);

    receiver.fate = () => 'pass';
    expect(await world.during(world.engine.reconciliation.run('main', true))).toMatchObject({ extra: { count: 1 } });
    expect(await world.indexed()).toEqual(everything(['/a']));
  });

  it('reconciliation includes due documents, and their next visit is unconditional', async () => {
    const paths = ['/a', '/b', '/c'];
    await start(paths, (path) => `Text of ${path}.`);
    for (const path of ['/', ...paths]) site.set(path, tagged(path === '/' ? paths : []));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle();
    await world.engine.setRunState('test', 'paused');
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(1));
    await fetch(`${world.index!.url}/papi/4/connectors/test/delete_documents`, {
      method: 'POST',
      body: new URLSearchParams(paths.map((path): [string, string] => ['PAPI_uri', site.url(path)])),
    });
    expect(await world.indexed()).toEqual([site.url('/')]);
    const report = await world.during(world.engine.reconciliation.run('main', true));
    expect(report.missing.count).toBe(paths.length);
    await world.engine.setRunState('test', 'running');
    await world.untilIdle();
    expect(await world.indexed()).toEqual(everything(paths));
  });
});

/** A page that never changes, and says so. */
const tagged =
  (links: readonly string[]): FakePage =>
  ({ headers, url }) =>
    headers['if-none-match'] === '"1"'
      ? { status: 304 }
      : { headers: { 'content-type': 'text/html', etag: '"1"' }, body: html('/', links, `Text of ${url}.`) };
