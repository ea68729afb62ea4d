import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const SHELL =
  '<html><head><title>Shop</title><script type="module" src="/app.js"></script></head><body><div id="root"></div></body></html>';

describe('a page that has no content without its scripts', () => {
  let site: FakeSite;
  let world: CrawlWorld;

  beforeEach(async () => {
    site = (await FakeSite.start())
      .page('/', ['/shop'], 'A page that brings its text.')
      .set('/shop', { headers: { 'content-type': 'text/html' }, body: SHELL });
    world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    await world.untilIdle();
  });

  afterEach(async () => {
    await world.close();
    await site.close();
  });

  it('is in the index with the reason needs-rendering and its cause', async () => {
    expect(await world.state(site.url('/shop'))).toMatchObject({ status: 'indexed', reason: 'needs-rendering' });
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'indexed', reason: 'indexed' });
    expect(world.pushed().get(site.url('/shop'))).toMatchObject({ text: '' });
    const { headline } = await world.engine.explanations.explain('test', site.url('/shop'));
    expect(headline).toMatchObject({ fate: 'in-index', reason: 'needs-rendering' });
    expect(headline.text).toContain('the empty element div#root');
    expect(headline.nextStep).toContain('render="auto"');
  });

  it('is counted for its host with a sample, and in the metrics', async () => {
    const { needRendering } = await world.engine.hosts.get(`127.0.0.1:${site.port}`);
    expect(needRendering).toEqual({ documents: 1, sample: site.url('/shop') });
    expect((await world.engine.getMetrics()).needRendering).toEqual([{ crawler: 'test', count: 1 }]);
  });
});
