/** Many pages of a host are gone at once; and deletions that a change of the configuration wants. */
import { expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import { start, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'nearDuplicateDetector="false" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"';

async function siteOf(documents: number, more = '', files: Record<string, string> = {}) {
  const site = await startSite();
  const paths = Array.from({ length: documents - 1 }, (_, i) => `/p${i}`);
  site.page('/', paths);
  for (const path of paths) site.page(path);
  const servers = (text: string) => ({ 'indexer.conf': text.replaceAll('SITE', site.url('/')) });
  const texts = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, servers(text)['indexer.conf']]));
  const crawler = `<Root url="${site.url('/')}" site="false"/>`;
  const world = await start({ attributes: ATTRIBUTES, crawler: `${crawler}${more}`, files: texts });
  await world.untilIdle();
  expect(await world.indexed()).toHaveLength(documents);
  return { site, paths, world, crawler };
}

it.each([
  [150, 149],
  [120, 100],
])('of %i documents %i are gone: none is deleted before a person has looked', async (documents, gone) => {
  const { site, paths, world } = await siteOf(documents);
  for (const path of paths.slice(0, gone)) site.set(path, { status: 404 });
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(minutes(30));
  expect(await world.indexed()).toHaveLength(documents);
  expect((await world.engine.orders.listHeldDeletions())[0]?.count).toBeGreaterThan(0);
});

it('a few pages of a large host that are gone are deleted at once', async () => {
  const { site, paths, world } = await siteOf(100);
  for (const path of paths.slice(0, 3)) site.set(path, { status: 404 });
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(minutes(5));
  expect(await world.indexed()).toHaveLength(97);
});

it.each(['a server record', 'a rule'])(
  'what the configuration excludes by %s passes the guard, all of it',
  async (by) => {
    const { site, world, crawler } = await siteOf(81, '<cw:Servers file="indexer.conf"/>', {
      'indexer.conf': 'Server SITE\n',
    });
    const record = {
      crawler: `${crawler}<cw:Servers file="indexer.conf"/>`,
      files: { 'indexer.conf': 'Server http://other.test/\n' },
    };
    const rule = {
      crawler: `${crawler}<cw:CrawlSpace rules="a.rules"/>`,
      files: { 'a.rules': `forbid prefix ${site.url('/')}\n` },
    };
    await world.reconfigure({ attributes: ATTRIBUTES, ...(by === 'a rule' ? rule : record) });
    await world.pass(days(2));
    expect(await world.indexed()).toEqual([]);
    expect(await world.engine.orders.listHeldDeletions()).toEqual([]);
  },
);

it('with signOfLife="false" deletions after 5xx go out at once, on a site of any size', async () => {
  const { site, paths, world } = await siteOf(200, '<cw:DeletionGuard signOfLife="false"/>');
  for (const path of ['/', ...paths]) site.set(path, { status: 500 });
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(days(10));
  expect(await world.indexed()).toEqual([]);
});
