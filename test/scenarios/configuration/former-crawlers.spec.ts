/** What becomes of the documents of a crawler that the configuration no longer names. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const crawler = (name: string, root: string, parts = ''): string =>
  `<Crawler name="${name}" nthreads="8" aggressive="true" throttleTimeMS="0" crawlSitemaps="false"><Root url="${root}"/>${parts}<cw:PushTo sink="main"/></Crawler>`;

async function startWorld(name = 'app'): Promise<{ site: FakeSite; world: CrawlWorld; other: FakeSite }> {
  const site = await startSite();
  site.page('/', ['/a', '/b']);
  site.page('/a');
  site.page('/b');
  const other = await startSite('127.0.0.2');
  other.page('/');
  const world = await crawl({ crawler: crawler(name, site.url('/')) + crawler('other', other.url('/')) });
  return { site, world, other };
}

const pages = (site: FakeSite, ...paths: string[]): string[] => paths.map((path) => site.url(path));

it('stay in the index, and are listed, until somebody decides', async () => {
  const { site, other, world } = await startWorld();
  await world.engine.setRunState('app', 'paused');
  await world.engine.backfills.pushAgain('main', 'app');
  await world.reconfigure({ crawler: crawler('other', other.url('/')) });
  await world.pass(minutes(60));
  // Sending them again waits for the crawler, too.
  expect(await world.engine.backfills.list()).toMatchObject([{ crawler: 'app', state: 'running' }]);
  expect(await world.indexed()).toEqual([...pages(site, '/', '/a', '/b'), other.url('/')].sort());
  expect(await world.engine.formerCrawlers.list()).toMatchObject([
    { name: 'app', urls: 3, indexed: 3, sinks: ['main'] },
  ]);
  expect(await world.engine.listCrawlers()).toMatchObject([{ name: 'other' }]);
});

it('are counted by a preview', async () => {
  const { other, world } = await startWorld();
  const next = world.definition({ crawler: crawler('other', other.url('/')) });
  let last: unknown;
  for await (const report of world.engine.preview(next)) last = report;
  expect(last).toMatchObject({ removed: [{ crawler: 'app', urls: 3, indexed: 3 }], needsConfirmation: [] });
});

it('are deleted', async () => {
  const { other, world } = await startWorld();
  await world.reconfigure({ crawler: crawler('other', other.url('/')) });
  await world.engine.formerCrawlers.decide('app', { documents: 'delete' });
  await world.untilIdle();
  await expect.poll(() => world.indexed()).toEqual([other.url('/')]);
  await expect.poll(() => world.engine.formerCrawlers.list()).toEqual([]);
});

it('are cleared in part, as those of any crawler', async () => {
  const { site, other, world } = await startWorld();
  await world.reconfigure({ crawler: crawler('other', other.url('/')) });
  await world.engine.maintenance.clear('app', { like: '%/a' });
  await expect.poll(() => world.indexed()).toEqual([...pages(site, '/', '/b'), other.url('/')].sort());
});

it('belong to the crawler again if it returns', async () => {
  const { site, other, world } = await startWorld();
  await world.reconfigure({ crawler: crawler('other', other.url('/')) });
  const { requests } = site;
  const before = requests.length;
  await world.reconfigure({ crawler: crawler('app', site.url('/')) + crawler('other', other.url('/')) });
  await world.untilIdle();
  expect(await world.engine.formerCrawlers.list()).toEqual([]);
  expect(requests).toHaveLength(before);
  expect(await world.engine.getCrawler('app')).toMatchObject({ state: 'running', counts: { indexed: 3 } });
});

it('are handed over to the crawler with the new name, which neither fetches nor pushes them again', async () => {
  const { site, other, world } = await startWorld();
  const before = await world.state(site.url('/a'), 'app');
  // As long as its root does not respond, the new crawler finds no page by itself.
  const unanswered: ServerResponse[] = [];
  site.set('/', (_, response) => {
    unanswered.push(response);
    return undefined;
  });
  await world.reconfigure({ crawler: crawler('app2', site.url('/')) + crawler('other', other.url('/')) });
  await world.engine.formerCrawlers.decide('app', { documents: 'hand-over', to: 'app2' });
  await expect.poll(() => world.engine.formerCrawlers.list()).toEqual([]);
  site.page('/', ['/a', '/b']);
  site.hangUp();
  const { id: _id, crawler: _crawler, ...state } = before!;
  expect(await world.state(site.url('/a'), 'app2')).toMatchObject({ ...state, crawler: 'app2' });
  expect(await world.store.listVisits((await world.state(site.url('/a'), 'app2'))!.id, 20)).toHaveLength(1);
  expect(await world.state(site.url('/a'), 'app')).toBeUndefined();
  await world.untilIdle();
  expect(site.requests.filter(({ path }) => path === '/a')).toHaveLength(1);
  expect(await world.indexed()).toEqual([...pages(site, '/', '/a', '/b'), other.url('/')].sort());
});

it('leave the index if the rules of their new crawler exclude them', async () => {
  const { site, other, world } = await startWorld();
  const rules = `<Rules><Rule><ar:Path val="/b"/><Ignore/></Rule></Rules>`;
  await world.reconfigure({ crawler: crawler('app2', site.url('/'), rules) + crawler('other', other.url('/')) });
  await world.engine.formerCrawlers.decide('app', { documents: 'hand-over', to: 'app2' });
  await expect.poll(() => world.engine.formerCrawlers.list()).toEqual([]);
  await world.untilIdle();
  await expect.poll(() => world.indexed()).toEqual([...pages(site, '/', '/a'), other.url('/')].sort());
});

it('are not handed over to a crawler with other sinks', async () => {
  const { other, world } = await startWorld();
  const more = `<cw:Sink name="second" type="file" url="${temporaryDirectory()}/second.jsonl"/>`;
  const recipient = crawler('other', other.url('/')).replace('sink="main"', 'sink="second"');
  await world.reconfigure({ crawler: recipient, more });
  await expect(world.engine.formerCrawlers.decide('app', { documents: 'hand-over', to: 'other' })).rejects.toThrow(
    'the crawler other pushes to second, but the documents of app are in main: they can be deleted or kept',
  );
  await world.reconfigure({ crawler: crawler('app', 'http://127.0.0.3/') + recipient, more });
  await expect(
    world.engine.formerCrawlers.requirePossible('app', { documents: 'hand-over', to: 'other' }),
  ).rejects.toThrow('the crawler other pushes to second, but the documents of app are in main');
  await world.untilIdle();
});
