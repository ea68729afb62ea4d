import { describe, expect, it, onTestFinished } from 'vitest';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const HTML = { 'content-type': 'text/html' };

/**
 * A crawl whose only page has changed, and changes again while it is being visited: the visit gets the first change as
 * soon as `answer` is called.
 */
async function startVisitOfChangingPage() {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  site.set('/', { headers: HTML, body: '<title>First</title>' });
  const world = await CrawlWorld.start({
    attributes: 'smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"',
    crawler: `<Root url="${site.url('/')}"/>`,
  });
  onTestFinished(() => world.close());
  await world.untilIdle();
  const requested = Promise.withResolvers<void>();
  let answer = (): void => {};
  site.set('/', (_request, response) => {
    answer = () => void response.writeHead(200, HTML).end('<title>Second</title>');
    requested.resolve();
    return undefined;
  });
  await world.engine.maintenance.refresh('test', { url: site.url('/') });
  await requested.promise;
  site.set('/', { headers: HTML, body: '<title>Third</title>' });
  return { site, world, answer };
}

describe('a page that changes while it is being visited is visited once more', () => {
  it.each([
    ['it is refreshed', { url: true }],
    ['all URLs are refreshed', {}],
    ['the URLs that match a filter are refreshed', { status: 'indexed' as const }],
  ])('if %s meanwhile', async (_, { url, ...choice }: { url?: boolean; status?: 'indexed' }) => {
    const { site, world, answer } = await startVisitOfChangingPage();
    expect(
      await world.engine.maintenance.refresh('test', { ...choice, ...(url ? { url: site.url('/') } : {}) }),
    ).toMatchObject({
      count: 1,
    });
    answer();
    await world.untilIdle();
    expect(await world.state(site.url('/'))).toMatchObject({ title: 'Third', visits: 3 });
  });

  it('if it is submitted as a root meanwhile', async () => {
    const { site, world, answer } = await startVisitOfChangingPage();
    expect(await world.engine.roots.submit('test', [{ url: site.url('/') }])).toMatchObject([{ outcome: 'known' }]);
    answer();
    await world.untilIdle();
    expect(await world.state(site.url('/'))).toMatchObject({ title: 'Third', visits: 3 });
  });

  it('but not if other pages are refreshed meanwhile', async () => {
    const { site, world, answer } = await startVisitOfChangingPage();
    expect(await world.engine.maintenance.refresh('test', { status: 'error' })).toMatchObject({ count: 0 });
    answer();
    await world.untilIdle();
    expect(await world.state(site.url('/'))).toMatchObject({ title: 'Second', visits: 2 });
  });
});
