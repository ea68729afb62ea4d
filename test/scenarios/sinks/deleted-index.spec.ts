/** An index that is deleted while the crawl goes on answers every request, and holds almost nothing. */
import { expect, it, onTestFinished } from 'vitest';
import { type Duration, minutes, seconds } from '../../../src/domain/time/units.js';
import type { CrawlEvent } from '../../../src/engine/events.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { startElasticsearchReceiver } from '../../support/receivers/elasticsearch-receiver.js';
import { startSite } from '../../support/scenario.js';

const PATHS = Array.from({ length: 20 }, (_, i) => `/${i}`);

async function crawlIntoIndex(after: Duration = minutes(2)) {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  const engine = await startElasticsearchReceiver('elasticsearch', 'pages');
  const configuration = {
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false"
      smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="search"/></Crawler>`,
    more: `<cw:Sink name="search" type="elasticsearch" url="${engine.url}" index="pages"/>`,
  };
  const world = await CrawlWorld.start(configuration);
  onTestFinished(() => world.close());
  const events: CrawlEvent[] = [];
  world.engine.events.observe((event) => void events.push(event));
  await world.untilIdle();
  await world.pass(after);
  const paths = () => [...engine.documents.values()].map(({ uri }) => new URL(uri).pathname).sort();
  return { site, engine, world, configuration, paths, replacements: () => events.filter(isReplacement) };
}

const EXCLUSION = '<Rules><Rule><ar:Host value="elsewhere.example"/><Ignore/></Rule></Rules></Crawler>';

const isReplacement = (event: CrawlEvent): boolean => event.type === 'sink' && event.state === 'replaced';
const ALL = ['/', ...PATHS].sort();

it('an index that was deleted is filled again, with its mapping', async () => {
  const { engine, world, paths, replacements } = await crawlIntoIndex();
  expect(paths()).toEqual(ALL);
  expect(replacements()).toEqual([]);
  engine.deleteIndex();
  await world.pass(minutes(5));
  expect(paths()).toEqual(ALL);
  expect(engine.settings()?.mappings.properties['uri']?.type).toBe('keyword');
  expect(replacements()).toMatchObject([{ sink: 'search', message: expect.stringContaining('uuid-1') }]);
  expect(world.errors).toEqual([expect.stringContaining('no longer holds what was sent to it')]);
  expect(await world.engine.backfills.list()).toMatchObject([{ sink: 'search', why: 'replaced', total: 21 }]);
});

it('an index that a proxy cannot reach for some minutes is not gone', async () => {
  const { engine, world, replacements } = await crawlIntoIndex();
  for (let i = 0; i < 12; i++) engine.answerNext({ status: 404, body: 'default backend - 404' });
  await world.pass(minutes(15));
  expect(replacements()).toEqual([]);
  expect(await world.engine.backfills.list()).toEqual([]);
});

it('an index that was deleted and created again in its first minute is filled again', async () => {
  const { engine, world, paths, replacements } = await crawlIntoIndex(seconds(10));
  engine.deleteIndex();
  engine.create({ mappings: { properties: { uri: { type: 'keyword' } } } });
  await world.pass(minutes(5));
  expect(paths()).toEqual(ALL);
  expect(replacements()).toHaveLength(1);
});

it('an index that an order has created again before anybody noticed has the right mapping, and is filled', async () => {
  const { site, engine, world, paths, replacements } = await crawlIntoIndex();
  engine.deleteIndex();
  site.page('/3', [], 'This page is another one.');
  await world.engine.maintenance.refresh('test', { url: site.url('/3') });
  await world.untilIdle();
  expect(paths()).toEqual(['/3']);
  expect(engine.settings()?.mappings.properties['uri']?.type).toBe('keyword');
  await world.pass(minutes(5));
  expect(paths()).toEqual(ALL);
  expect(replacements()).toHaveLength(1);
});

it('an alias serves the old index until the new one is complete, moves in one step, and moves back', async () => {
  const { site, engine, world, configuration, paths } = await crawlIntoIndex();
  engine.deleteIndex();
  engine.aliasIndexes.add('web-1');
  const { sinkSwitch, maintenance } = world.engine;
  await world.reconfigure({ ...configuration, more: configuration.more.replace('/>', ' alias="web"/>') });
  await expect(sinkSwitch.run('search', {})).rejects.toThrow(/is still being filled|are missing|are on their way/);
  await world.pass(minutes(10));
  expect(paths()).toEqual(ALL);
  expect([...engine.aliasIndexes]).toEqual(['web-1']);
  expect(world.engine.listSinks().at(-1)?.warning).toContain('The alias web is on web-1');
  // Until then, what is deleted must not be found in the old index either.
  site.set('/3', { status: 404 });
  await maintenance.refresh('test', { url: site.url('/3') });
  await world.pass(minutes(10));
  expect(engine.deletedElsewhere).toEqual(['web-1']);
  const moved = { alias: 'web', from: ['web-1'], to: ['pages'], compared: 20 };
  expect(await world.during(sinkSwitch.run('search', {}))).toMatchObject(moved);
  expect([...engine.aliasIndexes]).toEqual(['pages']);
  await expect(sinkSwitch.run('search', {})).rejects.toThrow('is on pages already');
  expect(await sinkSwitch.run('search', { rollback: true })).toMatchObject({ from: ['pages'], to: ['web-1'] });
  expect([...engine.aliasIndexes]).toEqual(['web-1']);
});

it("another program's documents are replaced one by one once the sink has its own, and nothing else is removed", async () => {
  const { site, engine, world, configuration, paths } = await crawlIntoIndex();
  site.page('/orphan');
  const add = (id: string, url: unknown) => void engine.foreign.set(id, { address: { href: url } });
  // 520 documents of known pages under other ids: more than one page of a scroll, some for the same page.
  for (let i = 0; i < 520; i++) add(`old-${i}`, `${site.url(PATHS[i % 20]!)}#part`);
  add('orphan', [site.url('/orphan')]);
  add('elsewhere', 'http://elsewhere.example/');
  add('nameless', undefined);
  const adopt = () => world.during(world.engine.sinkAdoption.run('search', 'address.href'));
  const fetches = site.requests.length;
  await world.reconfigure({ ...configuration, crawler: configuration.crawler.replace('</Crawler>', EXCLUSION) });
  expect(await adopt()).toMatchObject({ found: 523, replaced: 520, waiting: 1, kept: { count: 2 } });
  expect([...engine.foreign.keys()].sort()).toEqual(['elsewhere', 'nameless', 'orphan']);
  await world.pass(minutes(5));
  expect(paths()).toEqual([...ALL, '/orphan'].sort());
  expect(site.requests.slice(fetches).filter(({ path }) => path !== '/robots.txt')).toHaveLength(1);
  expect(await adopt()).toMatchObject({
    found: 3,
    replaced: 1,
    waiting: 0,
    kept: { count: 2, samples: ['http://elsewhere.example/', 'nameless'] },
  });
  expect([...engine.foreign.keys()].sort()).toEqual(['elsewhere', 'nameless']);
  expect(paths()).toEqual([...ALL, '/orphan'].sort());
});

it('a mapping with which documents cannot be listed is named', async () => {
  const { engine, world } = await crawlIntoIndex();
  engine.create({ mappings: { properties: { uri: { type: 'text' } } } });
  await expect(world.engine.reconciliation.run('search', false)).rejects.toMatchObject({
    name: 'SinkUnavailable',
    message: expect.stringContaining('maps `uri` as text, which has to be keyword'),
  });
});

it('orders wait for an index whose mapping would refuse all of them, and are sent once it is right', async () => {
  const { engine, world, configuration, paths } = await crawlIntoIndex();
  engine.deleteIndex();
  engine.create({ mappings: { properties: { uri: { type: 'keyword' }, metas: { type: 'keyword' } } } });
  await world.reconfigure({ ...configuration, more: configuration.more.replace('/>', ' timeoutMS="9000"/>') });
  await world.pass(minutes(5));
  expect(paths()).toEqual([]);
  expect(world.engine.listSinks()).toMatchObject([
    {},
    { state: 'unavailable', refused: 0, message: expect.stringContaining('`metas` is mapped as keyword') },
  ]);
  engine.create({ mappings: { properties: { uri: { type: 'keyword' } } } });
  await world.pass(minutes(10));
  expect(paths()).toEqual(ALL);
});
