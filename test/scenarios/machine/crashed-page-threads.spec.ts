import { expect, it, onTestFinished } from 'vitest';
import { hours, seconds } from '../../../src/domain/time/units.js';
import { type PageProcessor, WorkLost } from '../../../src/engine/ports/page-processor.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';

const THROTTLE = seconds(2.5);

/** A crawl of two pages; `losing()` says whether the thread dies that has just asked for one. */
async function crawlLosing(revoking: (url: string) => boolean) {
  const site = await startSite();
  site.page('/', ['/a']).page('/a');
  const clock = new ManualClock();
  const asked: number[] = [];
  const between = (processor: PageProcessor): void => {
    const process = processor.process.bind(processor);
    processor.process = async (task) => {
      asked.push(clock.now());
      const result = await process(task);
      if (revoking(task.url)) throw new WorkLost('a page thread ended');
      return result;
    };
  };
  const attributes = `aggressive="false" throttleTimeMS="${THROTTLE}"`;
  const world = await start({ attributes, crawler: `<Root url="${site.url('/')}"/>`, clock, processor: between });
  return { site, world, asked };
}

const refresh = (world: CrawlWorld, url: string): Promise<unknown> => world.engine.maintenance.refresh('test', { url });

it("a page that is lost in the crash of another page's thread is requested again after the crawl delay", async () => {
  let losses = 0;
  const { site, world, asked } = await crawlLosing((url) => url.endsWith('/a') && losses++ < 2);
  await world.untilIdle();
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  expect(asked).toHaveLength(4);
  expect(asked.slice(1).filter((at, i) => at - asked[i]! < THROTTLE)).toEqual([]);
});

it('a document whose page is lost repeatedly is not deleted, and is retried like other errors', async () => {
  let dying = false;
  const { site, world, asked } = await crawlLosing((url) => dying && url.endsWith('/a'));
  await world.untilIdle();
  dying = true;
  asked.length = 0;
  await refresh(world, site.url('/a'));
  await world.pass(hours(1));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.length).toBeLessThan(10);
  expect(await world.indexed()).toContain(site.url('/a'));
  expect((await world.state(site.url('/a')))?.reason).toBe('reading-failed');
  dying = false;
  await refresh(world, site.url('/a'));
  await world.untilIdle();
  expect((await world.state(site.url('/a')))?.status).toBe('indexed');
});

it('a page whose visit cannot be completed settles as an error after a few attempts, and its document stays', async () => {
  const site = await startSite();
  site.page('/', ['/a']).page('/a');
  let failing = false;
  let attempts = 0;
  const processor = (pages: PageProcessor): void => {
    const process = pages.process.bind(pages);
    pages.process = async (task) => {
      const result = await process(task);
      if (!failing || !task.url.endsWith('/a')) return result;
      attempts++;
      // What the code that settles visits cannot handle.
      return { ...result, links: undefined as never };
    };
  };
  const world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>`, processor });
  onTestFinished(() => world.close());
  await world.untilIdle();
  failing = true;
  await refresh(world, site.url('/a'));
  await world.pass(hours(1));
  expect(attempts).toBe(4);
  expect(world.errors).toHaveLength(4);
  expect(await world.indexed()).toContain(site.url('/a'));
  expect(await world.state(site.url('/a'))).toMatchObject({ reason: 'reading-failed' });
  failing = false;
  await refresh(world, site.url('/a'));
  await world.untilIdle();
  expect((await world.state(site.url('/a')))?.status).toBe('indexed');
});
