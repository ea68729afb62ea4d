/** `cw:Split`: parts of a page that are documents of their own come, change and go with it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { UNKNOWN_STAMP } from '../../../src/domain/crawl/url-state.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const html = (body: string) => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } });
const job = (id: string, text = `Work of ${id}`): string =>
  `<article id="${id}"><h2>Job ${id}</h2><p>${text}</p><b class=place>Town ${id}</b></article>`;
const page = (...jobs: string[]) => html(`<title>Jobs</title><h1>All jobs</h1><p>Apply now</p>${jobs.join('')}`);
const SPLIT = `<cw:Content><cw:Field name="place" select=".place"/><cw:Split select="article"/>
  <cw:Output headings="true"/></cw:Content>`;
const attributes = 'nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="3600"';

describe('a page that is split into parts', () => {
  let site: FakeSite;
  let uri: string;
  beforeEach(async () => {
    site = await startSite();
    uri = site.url('/jobs');
  });

  const crawler = (content = SPLIT): string => `<Root url="${uri}" site="false"/>${content}`;
  const visit = async (world: CrawlWorld): Promise<void> => {
    await world.pass(hours(1.1));
    await world.untilIdle();
  };
  const news = (world: CrawlWorld, since: number): string[] =>
    world
      .orders()
      .slice(since)
      .map((order) => `${order.kind} ${order.uri.slice(uri.length)}`)
      .sort();

  it('pushes each part with a fragment, its own title, fields and text, and the page with the rest', async () => {
    site.set('/jobs', page(job('a'), job('b')));
    const world = await crawl({ index: 'none', attributes, crawler: crawler() });
    const pushed = world.pushed();
    const part = pushed.get(`${uri}#b`)!;
    const meta = (name: string) => part.metas.flatMap((one) => (one.name === name ? [one.value] : []));
    expect(pushed.get(uri)!.text).toBe('All jobs\nApply now');
    expect(part.text).toBe('Job b\nWork of b\nTown b');
    expect(part.headings).toEqual([{ level: 2, text: 'Job b', start: 0, anchor: 'b' }]);
    expect(['title', 'place', 'publicUrl', 'part_of'].map(meta)).toEqual([['Job b'], ['Town b'], [`${uri}#b`], [uri]]);
    expect([...pushed.keys()]).toHaveLength(3);
    const stored = await world.state(uri);
    expect(stored!.parts!.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('pushes only the parts that have changed, and deletes those that were removed from the page', async () => {
    site.set('/jobs', page(job('a'), job('b'), job('c')));
    const world = await crawl({ index: 'none', attributes, crawler: crawler() });
    let seen = world.orders().length;
    await visit(world);
    expect(news(world, seen)).toEqual([]);
    site.set('/jobs', page(job('a'), job('c', 'Other work'), job('d')));
    await visit(world);
    expect(news(world, seen)).toEqual(['add ', 'add #c', 'add #d', 'delete #b']);
    seen = world.orders().length;
    site.set('/jobs', { status: 404 });
    await visit(world);
    await visit(world);
    expect(news(world, seen)).toEqual(['delete ', 'delete #a', 'delete #c', 'delete #d']);
    expect((await world.state(uri))?.parts).toBeUndefined();
  });

  it('deletes the parts when the configuration no longer splits pages, whatever the guard says', async () => {
    site.set('/jobs', page(job('a'), job('b')));
    const guard = '<cw:DeletionGuard maxDeletions="0" maxShare="0"/>';
    const world = await crawl({ index: 'none', attributes, crawler: crawler(SPLIT + guard) });
    const seen = world.orders().length;
    await world.reconfigure({ crawler: crawler(guard) });
    await visit(world);
    expect(news(world, seen)).toEqual(['add ', 'delete #a', 'delete #b']);
  });

  describe('with a guard that holds removed parts', () => {
    let world: CrawlWorld;
    let seen: number;
    beforeEach(async () => {
      site.set('/jobs', page(job('a'), job('b')));
      const guard = '<cw:DeletionGuard maxDeletions="0" maxShare="0"/>';
      world = await crawl({ index: 'none', attributes, crawler: crawler(SPLIT + guard) });
      seen = world.orders().length;
      site.set('/jobs', page(job('a')));
      await visit(world);
    });
    const held = async () => world.engine.orders.list({ state: 'held' }, undefined, 10);

    it('keeps the part until an operator releases the deletion', async () => {
      expect(news(world, seen)).toEqual(['add ']);
      expect((await held()).map((order) => order.uri)).toEqual([`${uri}#b`]);
      const [order] = await held();
      const sent = await world.during(world.engine.orders.retry(order!.id));
      expect(sent).toMatchObject({ uri: `${uri}#b`, state: 'acknowledged', reason: 'part-gone' });
      expect(await held()).toEqual([]);
      expect((await world.state(uri))!.parts!.map(({ id }) => id)).toEqual(['a']);
    });

    it('withdraws the deletion when the part returns, and holds it once, however often the page changes', async () => {
      site.set('/jobs', page(job('a', 'Changed')));
      await visit(world);
      expect(await held()).toHaveLength(1);
      const before = world.orders().length;
      site.set('/jobs', page(job('a', 'Changed'), job('b')));
      await visit(world);
      expect(await held()).toEqual([]);
      expect(news(world, before)).toEqual(['add ']);
      expect((await world.state(uri))!.parts!.some((part) => part.held)).toBe(false);
    });

    it('deletes the part with its page, which ends the held deletion', async () => {
      await world.during(world.engine.maintenance.clear('test', { like: '%' }));
      await world.pass(minutes(5));
      expect(news(world, seen)).toEqual(['add ', 'delete ', 'delete #a', 'delete #b']);
      expect(await held()).toEqual([]);
    });
  });

  it('stores which parts may be in the index before the first one is sent', async () => {
    site.set('/jobs', page(job('a')));
    const receiver = await FlakyReceiver.start();
    receiver.fate = (body) => (body.includes('#a') ? 'lose answer' : 'pass');
    const world = await start({ attributes, crawler: crawler(), through: receiver });
    await world.pass(minutes(1));
    const state = (await world.state(uri))!;
    expect({ parts: state.parts?.map(({ id }) => id), stamp: state.stamp }).toEqual({
      parts: ['a'],
      stamp: UNKNOWN_STAMP,
    });
    receiver.fate = () => 'pass';
    await world.pass(minutes(5));
    expect((await world.state(uri))!.stamp).not.toBe(UNKNOWN_STAMP);
    await receiver.close();
  });

  it('equals a complete sink in a reconciliation, which finds what is missing there', async () => {
    site.set('/jobs', page(job('a'), job('b')));
    const world = await crawl({ attributes, crawler: crawler() });
    const sound = await world.engine.reconciliation.run('main', false);
    expect([sound.compared, sound.missing.count, sound.extra.count, sound.stale.count]).toEqual([3, 0, 0, 0]);
    await fetch(`${world.index!.url}/papi/4/connectors/test/delete_documents`, {
      method: 'POST',
      body: new URLSearchParams({ PAPI_uri: `${uri}#a` }),
    });
    const damaged = await world.engine.reconciliation.run('main', true);
    expect(damaged.missing.samples).toEqual([uri]);
    await world.pass(minutes(5));
    const repaired = await world.engine.reconciliation.run('main', false);
    expect([repaired.compared, repaired.missing.count]).toEqual([3, 0]);
    const push = (command: string, fields: Record<string, string>) =>
      fetch(`${world.index!.url}/papi/4/connectors/test/${command}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
    await push('add_documents', { 'PAPI_1:uri': `${uri}#c`, 'PAPI_1:stamp': 'of another time' });
    await push('set_checkpoint', { PAPI_checkpoint: '1', PAPI_name: 'test', PAPI_sync: 'true' });
    expect((await world.during(world.engine.reconciliation.run('main', true))).extra.samples).toEqual([`${uri}#c`]);
    const cleaned = await world.engine.reconciliation.run('main', false);
    expect([cleaned.compared, cleaned.extra.count]).toEqual([3, 0]);
  });
});
