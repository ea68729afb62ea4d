import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { crawl, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const meta = (world: CrawlWorld, uri: string, name: string): string | undefined =>
  world
    .pushed()
    .get(uri)
    ?.metas.find((one) => one.name === name)?.value;

describe('robots directives of a page', () => {
  it('X-Robots-Tag counts like the meta element, for all agents or for ours', async () => {
    const site = await startSite();
    site.page('/', ['/noindex', '/nofollow', '/other-agent', '/ours']).page('/behind');
    const body = '<title>t</title><a href="/behind">b</a>';
    site.set('/noindex', { headers: { ...HTML, 'x-robots-tag': 'noindex' }, body: '<title>x</title>' });
    site.set('/nofollow', { headers: { ...HTML, 'x-robots-tag': 'nofollow' }, body });
    site.set('/other-agent', { headers: { ...HTML, 'x-robots-tag': 'otherbot: noindex' }, body: '<title>y</title>' });
    site.set('/ours', {
      headers: { ...HTML, 'x-robots-tag': ['otherbot: none', 'crawlway: noindex'] },
      body: '<title>z</title>',
    });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual(['/', '/nofollow', '/other-agent'].map((path) => site.url(path)));
    expect(site.fetched).not.toContain('/behind');
  });

  it('X-Robots-Tag counts with 304 too', async () => {
    const site = await startSite();
    let more: Record<string, string> = {};
    site.page('/', ['/a', '/b']);
    for (const path of ['/a', '/b'])
      site.set(path, ({ headers }) =>
        headers['if-none-match']
          ? { status: 304, headers: more }
          : { headers: { ...HTML, etag: '"1"', ...more }, body: path },
      );
    const attributes = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    const all = ['/', '/a', '/b'].map((path) => site.url(path));
    more = { 'x-robots-tag': 'otherbot: noindex' };
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(all);
    more = { 'x-robots-tag': 'noindex' };
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/')]);
    expect(await world.state(site.url('/a'))).toMatchObject({ reason: 'noindex' });
    more = {};
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(all);
  });

  it('noarchive is delivered as a meta, for the index to decide', async () => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .set('/a', { headers: HTML, body: '<meta name="robots" content="noarchive"><title>a</title>' });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    expect(meta(world, site.url('/a'), 'noarchive')).toBe('true');
    expect(meta(world, site.url('/'), 'noarchive')).toBeUndefined();
  });
});
