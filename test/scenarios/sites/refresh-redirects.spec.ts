import { describe, expect, it } from 'vitest';
import type { FakePage } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
describe('a refresh header or meta element', () => {
  it('the header leads to its target like the meta element', async () => {
    const site = await startSite();
    site.set('/', { headers: { ...HTML, refresh: '3; url=/next' }, body: '<title>wait</title>' }).page('/next');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/next')]);
  });

  it.each([
    ['0; url=/b', ['/', '/b'], 'redirected'],
    ['1;/b', ['/', '/b'], 'redirected'],
    ['2; url=/b', ['/', '/a', '/b'], 'indexed'],
    ['0; url=/a#top', ['/', '/a'], 'indexed'],
    ['0; url=/forbidden', ['/', '/a'], 'indexed'],
  ])('%j is a redirect within a second and to an allowed URL only', async (content, paths, reason) => {
    const site = await startSite();
    site.page('/', ['/a']).page('/b').page('/forbidden');
    site.set('/a', { headers: HTML, body: `<meta http-equiv="refresh" content="${content}"><title>a</title>text` });
    const rules = '<Rules><Rule><ar:Path val="/forbidden"/><Ignore/></Rule></Rules>';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${rules}` });
    expect(await world.indexed()).toEqual(paths.map((path) => site.url(path)));
    expect(await world.state(site.url('/a'))).toMatchObject({ reason });
  });

  it.each([
    '<noscript><meta http-equiv="refresh" content="0; url=/b"></noscript>',
    '<meta name="robots" content="nofollow"><meta http-equiv="refresh" content="0; url=/b">',
  ])('is not a redirect when it does not apply: %s', async (head) => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .page('/b')
      .set('/a', { headers: HTML, body: `<head>${head}<title>a</title></head>text` });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toContain(site.url('/a'));
  });

  it('ends for two pages that refresh to each other, and for pages that always refresh to a new one', async () => {
    const site = await startSite();
    const sent = (to: string): FakePage => ({
      headers: HTML,
      body: `<meta http-equiv="refresh" content="0; url=${to}">`,
    });
    site.page('/', ['/a', '/n0']).set('/a', sent('/b')).set('/b', sent('/a'));
    for (let n = 0; n < 30; n++) site.set(`/n${n}`, sent(`/n${n + 1}`));
    await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(site.fetched).toContain('/n5');
    expect(site.fetched).not.toContain('/n29');
  });
});
