import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullReadingDue } from '../../../src/domain/fetch/validators.js';
import { after, type Duration, days, hours, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite, html } from '../../support/fake-site.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';

describe('the index follows changes of the site', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const urls = (...paths: string[]): string[] => paths.map((path) => site.url(path)).sort();
  const nextDay = async (): Promise<void> => {
    await world.pass(days(1));
  };

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', ['/a', '/b', '/c', '/d']).page('/a').page('/b').page('/c').page('/d');
    world = await CrawlWorld.start({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>` });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(urls('/', '/a', '/b', '/c', '/d'));
    site.forgetRequests();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  /** Each page is read in full on a day of the month that depends on its id. */
  async function findPageNotReadInFull(time: Duration): Promise<string> {
    for (const path of ['/a', '/b', '/c', '/d']) {
      const { id, lastVisitAt } = (await world.state(site.url(path)))!;
      if (!isFullReadingDue(id, lastVisitAt!, after(world.clock.now(), time))) return path;
    }
    throw new Error('all pages are due');
  }

  it('a page that did not change is not pushed again', async () => {
    const before = (await world.engine.orders.list({ crawler: 'test' }, undefined, 100)).length;
    await nextDay();
    expect(site.fetched).toEqual(['/', '/a', '/b', '/c', '/d']);
    expect((await world.engine.orders.list({ crawler: 'test' }, undefined, 100)).length).toBe(before);
  });

  it('a page that is refreshed by an operator is first in its queue, and keeps its due time', async () => {
    await world.engine.setRunState('test', 'paused');
    const { dueAt } = (await world.state(site.url('/a')))!;
    await world.pass(days(2));
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    expect(await world.state(site.url('/a'))).toMatchObject({ source: 0, dueAt });
    await world.engine.setRunState('test', 'running');
    await world.untilIdle();
    await world.engine.maintenance.refresh('test', { url: site.url('/b') });
    expect(await world.state(site.url('/b'))).toMatchObject({ source: 0, dueAt: world.clock.now() });
    await world.untilIdle();
    expect(site.requests.filter(({ path }) => path === '/b')).toHaveLength(2);
  });

  it.each([
    ['MimeTypes', '', '<cw:MimeTypes types="text/html"/>', 'mime-type-excluded'],
    [
      'SoftErrors',
      '',
      '<cw:SoftErrors><cw:SoftError field="content" pattern="Alpha" status="404"/></cw:SoftErrors>',
      'soft-error',
    ],
    ['storeTextOnly', 'storeTextOnly="true"', '', 'indexed'],
  ])('a page that responds 304 is read again after a change of %s', async (_, attribute, part, reason) => {
    site.set('/a', ({ headers }) =>
      headers['if-none-match'] === '"1"' ? { status: 304 } : { headers: { etag: '"1"' }, body: '<p>Alpha</p>' },
    );
    await nextDay();
    await nextDay();
    const [before] = await world.engine.orders.list({ uri: site.url('/a') }, undefined, 1);
    const attributes = `${ATTRIBUTES} ${attribute}`;
    await world.reconfigure({ attributes, crawler: `<Root url="${site.url('/')}"/>${part}` });
    await nextDay();
    expect(await world.state(site.url('/a'))).toMatchObject({ reason });
    const [order] = await world.engine.orders.list({ uri: site.url('/a') }, undefined, 1);
    expect(order!.id).toBeGreaterThan(before!.id);
  });

  it('a 304 that names another version, as a server answers that only looks at dates, does not hide the change', async () => {
    const asked: (string | undefined)[] = [];
    let version = '"1"';
    const path = await findPageNotReadInFull(days(6));
    site.set(path, ({ headers }) => {
      asked.push(headers['if-none-match']);
      const known = headers['if-none-match'] !== undefined;
      return { status: known ? 304 : 200, headers: { etag: version }, body: known ? '' : `<p>Version ${version}</p>` };
    });
    await nextDay();
    const [before] = await world.engine.orders.list({ uri: site.url(path) }, undefined, 1);
    asked.length = 0;
    await nextDay();
    version = 'W/"1-gzip"';
    await nextDay();
    version = '"2"';
    await nextDay();
    await nextDay();
    expect(asked).toEqual(['"1"', '"1"', 'W/"1-gzip"', undefined]);
    const [order] = await world.engine.orders.list({ uri: site.url(path) }, undefined, 1);
    expect(order!.id).toBeGreaterThan(before!.id);
  });

  it('a server that only looks at dates, which never change, hides a change for a month at most', async () => {
    let text = 'Alpha';
    for (const path of ['/a', '/b'])
      site.set(path, ({ headers }) =>
        headers['if-modified-since'] === undefined
          ? { headers: { 'last-modified': 'Tue, 01 Jan 1980 00:00:00 GMT' }, body: `<p>${text} ${path}</p>` }
          : { status: 304 },
      );
    await world.pass(days(2));
    text = 'Beta';
    const stamps = async () =>
      Promise.all(['/a', '/b'].map(async (path) => (await world.state(site.url(path)))!.stamp));
    const before = await stamps();
    world.clock.advance(days(30));
    await world.untilIdle();
    const after = await stamps();
    for (const i of [0, 1]) expect(after[i]).not.toBe(before[i]);
  });

  it('a page that changed is pushed again', async () => {
    const stamp = (await world.state(site.url('/a')))?.stamp;
    site.page('/a', [], 'Something else.');
    await nextDay();
    const state = await world.state(site.url('/a'));
    expect(state?.stamp).not.toBe(stamp);
    expect(state).toMatchObject({ status: 'indexed', changes: 1 });
    const [order] = await world.engine.orders.list({ uri: site.url('/a') }, undefined, 1);
    expect(order).toMatchObject({ kind: 'add', reason: 'changed', state: 'acknowledged' });
  });

  it('a page that is gone is deleted at once and in error; when it is gone again its status is removed until a link is found', async () => {
    site.remove('/a');
    await nextDay();
    expect(await world.indexed()).toEqual(urls('/', '/b', '/c', '/d'));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'error', reason: 'http-404' });
    site.page('/', ['/b', '/c', '/d']);
    await nextDay();
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'removed', reason: 'removed-after-errors' });
    site.forgetRequests();
    await nextDay();
    await nextDay();
    expect(site.fetched).toEqual(['/', '/b', '/c', '/d']);
  });

  it('a URL whose status was removed comes back when a link to it is found again', async () => {
    site.remove('/a');
    site.page('/', ['/b', '/c', '/d']);
    await nextDay();
    expect(await world.indexed()).not.toContain(site.url('/a'));
    await nextDay();
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'removed' });
    site.page('/a').page('/b', ['/a'], 'Now links to a.');
    await nextDay();
    expect(await world.indexed()).toContain(site.url('/a'));
  });

  it('a URL whose status was removed comes back when a page that links to it is visited, and has not changed', async () => {
    site.remove('/a');
    await nextDay();
    await world.pass(minutes(1));
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    await world.untilIdle();
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'removed' });
    const visits = async (): Promise<string[]> =>
      (await world.store.listVisits((await world.state(site.url('/a')))!.id, 9)).map(({ outcome }) => outcome);
    expect(await visits()).toEqual(['http-404', 'http-404', 'document']);
    site.page('/a');
    await nextDay();
    expect(await world.indexed()).toContain(site.url('/a'));
    expect(await visits()).toEqual(['document', 'http-404', 'http-404', 'document']);
  });

  it('a URL whose status was removed is not requested again when no live page links to it', async () => {
    site.page('/', ['/b', '/c', '/d']).page('/b', ['/a']).remove('/a');
    await nextDay();
    site.remove('/b');
    for (let day = 0; day < 3; day++) await nextDay();
    site.forgetRequests();
    for (let day = 0; day < 3; day++) await nextDay();
    expect(site.fetched).not.toContain('/a');
  });

  it('a page that redirects is deleted and its target is crawled', async () => {
    site.set('/a', { status: 301, headers: { location: '/new' } }).page('/new');
    await nextDay();
    expect(await world.indexed()).toEqual(urls('/', '/b', '/c', '/d', '/new'));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'redirected' });
    expect(await world.state(site.url('/new'))).toMatchObject({
      status: 'indexed',
      discoveredVia: 'redirect',
      foundOn: site.url('/a'),
    });
  });

  it('a page that becomes noindex is deleted, and returns when it changes back', async () => {
    site.set('/a', {
      headers: { 'content-type': 'text/html' },
      body: '<html><head><meta name="robots" content="noindex"><title>a</title></head><body>a</body></html>',
    });
    await nextDay();
    // If it is visited before all others, these are asked first.
    await world.pass(hours(1));
    expect(await world.indexed()).not.toContain(site.url('/a'));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'visited', reason: 'noindex' });
    site.page('/a');
    await nextDay();
    expect(await world.indexed()).toContain(site.url('/a'));
  });

  it('a page that answers 500 is deleted at once, as a permanent error', async () => {
    site.set('/a', { status: 500 });
    await nextDay();
    expect(await world.indexed()).not.toContain(site.url('/a'));
    site.page('/a');
    await nextDay();
    expect(await world.indexed()).toContain(site.url('/a'));
  });

  it('a page that resets the connection stays indexed until it has failed in a row more often than allowed', async () => {
    site.set('/a', (request) => void request.socket.resetAndDestroy());
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    await world.untilIdle();
    const first = await world.state(site.url('/a'));
    expect(first).toMatchObject({ status: 'error', reason: 'connection-reset', temporaryErrors: 1 });
    expect(await world.indexed()).toContain(site.url('/a'));
    await world.pass(hours(20));
    expect(await world.indexed()).toContain(site.url('/a'));
    await world.pass(hours(20));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'removed' });
    expect(await world.indexed()).toEqual(urls('/', '/b', '/c', '/d'));
  });

  it('a success between temporary errors resets their count', async () => {
    let failing = true;
    site.set('/a', (request) =>
      failing
        ? void request.socket.resetAndDestroy()
        : { headers: { 'content-type': 'text/html' }, body: html('a', []) },
    );
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    await world.untilIdle();
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'error', temporaryErrors: 1 });
    failing = false;
    await world.pass(hours(1));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'indexed', temporaryErrors: 0 });
  });
});
