import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

describe('a complete crawl', () => {
  let site: FakeSite;
  let world: CrawlWorld | undefined;
  beforeEach(async () => {
    site = await FakeSite.start();
  });
  afterEach(async () => {
    await world?.close();
    await site.close();
  });

  it('follows every link once and pushes every page', async () => {
    site.page('/', ['/a', '/b', '/a?x=1']).page('/a', ['/', '/c']).page('/b', ['c', 'missing']).page('/c', ['/a']);
    site.page('/a?x=1', []);
    world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>` });
    await world.untilIdle();
    expect(world.errors).toEqual([]);
    expect(site.fetched).toEqual(['/', '/a', '/a?x=1', '/b', '/c', '/missing']);
    expect(await world.indexed()).toEqual(['/', '/a', '/a?x=1', '/b', '/c'].map((path) => site.url(path)));
    expect(site.requests.map((request) => request.path).filter((path) => path === '/a')).toHaveLength(1);
  });
});
