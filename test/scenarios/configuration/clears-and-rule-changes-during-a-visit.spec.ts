/** Decisions without a visit, taken from a list that was read before a visit ended. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { start, startSite } from '../../support/scenario.js';

const attributes = 'nearDuplicateDetector="false"';

describe('a page whose visit ends while a command that lists its URL is being processed', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let answer: () => void;

  beforeEach(async () => {
    site = await startSite();
    const asked = new Promise<void>((resolve) => {
      site.set('/', (_request, response) => {
        answer = () => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Home</title>Text.');
        resolve();
        return undefined;
      });
    });
    world = await start({ attributes, crawler: `<Root url="${site.url('/')}" site="false"/>` });
    await asked;
  });

  /** Of the next list that is read the answer comes late: after the page has been indexed. */
  function listLate(): void {
    const list = world.store.list.bind(world.store);
    world.store.list = async (...args) => {
      const states = await list(...args);
      world.store.list = list;
      answer();
      await indexed();
      return states;
    };
  }

  const indexed = () => until(async () => (await world.state(site.url('/')))?.status === 'indexed');

  it('is deleted from the index when it is cleared', async () => {
    listLate();
    await world.during(world.engine.maintenance.clear('test', { like: '%' }));
    await world.untilIdle();
    expect(await world.state(site.url('/'))).toBeUndefined();
    expect(await world.indexed()).toEqual([]);
  });

  it('is deleted from the index when new rules exclude it', async () => {
    listLate();
    const crawler = `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/>`;
    await world.reconfigure({ attributes, crawler, files: { 'a.rules': `forbid prefix ${site.url('/')}\n` } });
    await world.pass(minutes(10));
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'excluded' });
    expect(await world.indexed()).toEqual([]);
  });

  it('is judged by the new rules when its visit ends after they passed its URL', async () => {
    const crawler = `<Root url="${site.url('/')}" site="false"/>`;
    await world.reconfigure({ attributes: `${attributes} defaultIndex="false"`, crawler });
    const { id } = (await world.state(site.url('/')))!;
    await until(async () => (await world.store.getSetting('rejudging/test')) === String(id));
    answer();
    await world.pass(minutes(10));
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'visited', reason: 'links-only' });
    expect(await world.indexed()).toEqual([]);
  });
});

it('a page in error that recovers while errors are being cleared stays known', async () => {
  const site = await startSite();
  site.page('/', ['/a']).set('/a', { status: 408 });
  const world = await start({ attributes, crawler: `<Root url="${site.url('/')}" site="false"/>` });
  await world.pass(minutes(1));
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'error' });
  const list = world.store.list.bind(world.store);
  world.store.list = async (...args) => {
    const states = await list(...args);
    world.store.list = list;
    site.page('/a');
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    await until(async () => (await world.state(site.url('/a')))?.status === 'indexed');
    return states;
  };
  await world.during(world.engine.maintenance.clearErrors('test'));
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'indexed' });
});

/** Something else lets the crawl work meanwhile. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
