/** Documents that disappear from a sink while what it writes to stays the same. */
import { expect, it, onTestFinished } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { startSolrReceiver } from '../../support/receivers/solr-receiver.js';
import { startSite } from '../../support/scenario.js';

async function crawlIntoCore(pages: readonly string[] = ['/a', '/b']) {
  const site = await startSite();
  site.page('/', [...pages]);
  for (const path of pages) site.page(path);
  const core = await startSolrReceiver('pages');
  const world = await CrawlWorld.start({
    index: 'none',
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false"
      smartRefreshMinAgeS="86400"><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="search"/></Crawler>`,
    more: `<cw:Sink name="search" type="solr" url="${core.url}/solr" index="pages"/>`,
  });
  onTestFinished(() => world.close());
  await world.untilIdle();
  // Searches find documents after a commit that opens a searcher, as `commitWithin` does in Solr.
  const commit = () =>
    fetch(`${core.url}/solr/pages/update?commit=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
  await commit();
  await world.pass(minutes(3));
  const paths = () => [...core.committed().keys()].map((uri) => new URL(uri).pathname).sort();
  return { site, core, world, commit, paths };
}

it('a sink that somebody empties is filled again, once', async () => {
  const { core, world, commit, paths } = await crawlIntoCore();
  expect(paths()).toEqual(['/', '/a', '/b']);
  expect(world.errors).toEqual([]);
  core.empty();
  await world.pass(minutes(4));
  expect(paths()).toEqual(['/', '/a', '/b']);
  expect(world.errors).toEqual([expect.stringContaining('no longer holds what was sent to it')]);
  expect(await world.engine.backfills.list()).toMatchObject([{ sink: 'search', why: 'replaced', total: 3 }]);
  await commit();
  await world.pass(minutes(10));
  expect(world.errors).toHaveLength(1);
});

it('a Push API server that was set up anew is filled again, once', async () => {
  const site = await startSite();
  site.page('/', ['/a']);
  site.page('/a');
  const world = await CrawlWorld.start({
    crawler: `<Root url="${site.url('/')}" site="false"/>`,
    attributes: 'smartRefreshMinAgeS="86400"',
    asksIdleSinks: true,
  });
  onTestFinished(() => world.close());
  await world.untilIdle();
  await world.pass(minutes(1));
  for (const path of ['/', '/a'])
    await fetch(`${world.index!.url}/papi/4/connectors/test/delete_documents`, {
      method: 'POST',
      body: new URLSearchParams({ PAPI_uri: site.url(path) }),
    });
  expect(await world.indexed()).toEqual([]);
  await world.pass(minutes(4));
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  expect(world.errors).toEqual([expect.stringContaining('no longer holds what was sent to it')]);
  await world.pass(minutes(4));
  expect(world.errors).toHaveLength(1);
});

it('a sink whose documents are found late, or all deleted by the crawler, was not emptied', async () => {
  const { site, core, world, commit } = await crawlIntoCore();
  core.empty();
  await world.pass(minutes(1));
  await fetch(`${core.url}/solr/pages/update?commit=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: site.url('/a'), stamp_s: 'late' }]),
  });
  await world.pass(minutes(5));
  expect(world.errors).toEqual([]);
  await world.during(world.engine.maintenance.clear('test', { like: '%' }));
  await world.untilIdle();
  expect(await world.state(site.url('/a'))).toBeUndefined();
  core.empty();
  await commit();
  await world.pass(minutes(5));
  expect(world.errors).toEqual([]);
});

it('a sink that lost most of its documents is filled again, once', async () => {
  const pages = Array.from({ length: 40 }, (_, i) => `/${i}`);
  const { site, core, world, commit, paths } = await crawlIntoCore(pages);
  core.empty();
  await fetch(`${core.url}/solr/pages/update?commit=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: site.url('/1'), stamp_s: 'new' }]),
  });
  await world.pass(minutes(4));
  expect(world.errors).toEqual([expect.stringContaining('no longer holds what was sent to it')]);
  expect(paths()).toEqual(['/', ...pages].sort());
  expect(await world.engine.backfills.list()).toMatchObject([{ sink: 'search', why: 'replaced', total: 41 }]);
  await commit();
  await world.pass(minutes(10));
  expect(world.errors).toHaveLength(1);
});
