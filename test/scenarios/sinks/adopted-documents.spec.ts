/** Documents that another program has pushed to the connector, before Crawlway took its place. */
import { expect, it, onTestFinished } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { add, post, runningIndex } from '../../support/push-index.js';
import { startSite } from '../../support/scenario.js';

const PATHS = ['/0', '/1', '/2', '/3'];

async function start(acceptance = 'defaultAccept="true"', isSite = false) {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of [...PATHS, '/orphan', '/print']) site.page(path);
  const index = await runningIndex();
  const push = async (...uris: string[]): Promise<void> => {
    await add(index, ...uris.map((uri) => ({ uri, stamp: 'of another program', html: '<p>Old words.' })));
    await post(index, 'set_checkpoint?PAPI_checkpoint=1&PAPI_name=old&PAPI_sync=true', []);
  };
  await push(site.url('/1'), site.url('/orphan'), site.url('/print'), site.url('/gone'), `${site.url('/2')}#top`);
  await push('http://elsewhere.example/', 'file no. 7');
  const world = await CrawlWorld.start({
    index: 'none',
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" ${acceptance} crawlSitemaps="false" nearDuplicateDetector="false"
      smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="${isSite}"/><cw:PushTo sink="cloud"/>
      <Rules><Rule><ar:Host value="elsewhere.example"/><Ignore/></Rule><Rule><Path value="/print"/><Ignore/></Rule></Rules></Crawler>`,
    more: `<cw:Sink name="cloud" type="papi" url="${index.url}" connector="docs"/>`,
  });
  onTestFinished(() => world.close());
  await world.untilIdle();
  const entries = async (): Promise<Record<string, string>> => {
    const text = await (
      await fetch(
        `${index.url}/papi/4/connectors/docs/enumerate_synced_entries?PAPI_rootPath=&PAPI_mode=RECURSIVE_DOCUMENTS`,
      )
    ).text();
    const lines = text.trim().split('\n');
    return Object.fromEntries(
      lines.map((line) => {
        const [uri, ...stamp] = line.split(' ');
        const isOwn = !stamp.join(' ').includes('of another program');
        return [decodeURIComponent(uri!.replaceAll('+', ' ')).replace(site.url(''), ''), isOwn ? 'own' : 'old'];
      }),
    );
  };
  const adopt = () => world.during(world.engine.sinkAdoption.run('cloud', 'url'));
  return { site, world, entries, adopt };
}

it('what is in the crawl space is visited once, and replaced or deleted; what is not is listed and kept', async () => {
  const { site, world, entries, adopt } = await start();
  const crawled = { '/': 'own', '/0': 'own', '/1': 'own', '/2': 'own', '/3': 'own' };
  const kept = { 'http://elsewhere.example/': 'old', 'file no. 7': 'old', '/print': 'old' };
  expect(await entries()).toEqual({ ...crawled, ...kept, '/2#top': 'old', '/orphan': 'old', '/gone': 'old' });
  const fetches = site.requests.length;

  expect(await adopt()).toMatchObject({
    found: 6,
    replaced: 1,
    waiting: 2,
    kept: { count: 3, samples: ['file no. 7', site.url('/print'), 'http://elsewhere.example/'] },
  });
  await world.pass(minutes(10));
  const visited = site.requests.slice(fetches).map(({ path }) => path);
  expect(visited.filter((path) => path === '/orphan')).toHaveLength(1);
  // Before the document of a page that is gone is deleted, a few others show that the host is well.
  expect(visited.filter((path) => PATHS.includes(path)).length).toBeLessThanOrEqual(3);
  expect(await entries()).toMatchObject({ ...crawled, ...kept, '/orphan': 'own' });
  expect(Object.keys(await entries())).not.toContain('/2#top');

  await world.pass(minutes(600));
  expect(await entries()).toEqual({ ...crawled, ...kept, '/orphan': 'own' });
  expect(await adopt()).toMatchObject({ found: 3, replaced: 0, waiting: 0, kept: { count: 3 } });
  expect(await entries()).toMatchObject(kept);
});

it('documents wait for their visit, also when it is asked for again', async () => {
  const { site, world, adopt } = await start();
  await world.engine.setRunState('test', 'paused');
  expect(await adopt()).toMatchObject({ found: 6, replaced: 1, waiting: 2 });
  expect(await adopt()).toMatchObject({ found: 5, replaced: 0, waiting: 2 });
  expect(await world.state(site.url('/orphan'))).toMatchObject({ status: 'indexed', reason: 'adopted', stamp: '' });
});

it('what only the site mode of a root accepts is in the crawl space, too', async () => {
  const { site, world, adopt, entries } = await start('defaultAccept="false"', true);
  expect(await adopt()).toMatchObject({ found: 6, replaced: 1, waiting: 2 });
  await world.pass(minutes(10));
  expect(await entries()).toMatchObject({ '/orphan': 'own' });
  expect(await world.state(site.url('/orphan'))).toMatchObject({ status: 'indexed', reason: 'indexed' });
});
