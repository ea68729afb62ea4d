import { expect, it, onTestFinished } from 'vitest';
import { after, seconds } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

/** A site whose home page answers when it is told to, and only then. */
async function siteWithLatePage(html: string): Promise<{ site: FakeSite; asked: Promise<void>; answer: () => void }> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    site.set('/', (_request, response) => {
      answer = () => void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
      resolve();
      return undefined;
    });
  });
  return { site, asked, answer: () => answer() };
}

it('pages in flight are completed when the fetchers change', async () => {
  const { site, asked, answer } = await siteWithLatePage('<title>Late</title>');
  const crawler = `<Root url="${site.url('/')}" site="true"/>`;
  const world = await CrawlWorld.start({ crawler });
  onTestFinished(() => world.close());
  await asked;
  const fetcher = '<cw:Fetcher name="default" userAgent="Another/2"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
  await world.reconfigure({ crawler, more: fetcher });
  answer();
  await world.untilIdle();
  const [state] = (await world.engine.urls.search({ crawler: 'test' }, 0, 10)).urls;
  expect(state).toMatchObject({ status: 'indexed', title: 'Late', visits: 1 });
});

it('a page in flight when its crawler is removed keeps its links until the crawler is restored', async () => {
  const { site, asked, answer } = await siteWithLatePage('<title>Late</title><a href="/news">News</a>');
  site.page('/news');
  const crawler = `<Root url="${site.url('/')}"/>`;
  const other = '<Crawler name="other"><cw:PushTo sink="main"/></Crawler>';
  const world = await CrawlWorld.start({ crawler });
  onTestFinished(() => world.close());
  await asked;
  await world.reconfigure({ crawler: other });
  const settled = Promise.withResolvers<void>();
  const settle = world.store.settle.bind(world.store);
  world.store.settle = (settlements) => settle(settlements).finally(settled.resolve);
  answer();
  await settled.promise;
  expect(await world.state(site.url('/'))).toMatchObject({ title: 'Late' });
  await world.reconfigure({ crawler });
  await world.untilIdle();
  expect(await world.state(site.url('/news'))).toMatchObject({ status: 'indexed' });
});

it('no visit of a crawler begins any more while it is removed', async () => {
  const { site, asked, answer } = await siteWithLatePage('<title>Late</title>');
  const started: string[] = [];
  const world = await CrawlWorld.start({
    attributes: 'nthreads="1"',
    crawler: `<Root url="${site.url('/')}"/><Root url="${site.url('/next')}"/>`,
    processor: (processor) => {
      const process = processor.process.bind(processor);
      const configure = processor.configure.bind(processor);
      processor.process = (task) => {
        started.push(task.url);
        return process(task);
      };
      processor.configure = async (definition) => {
        await configure(definition);
        if (started.length === 0) return;
        answer();
        await settled.promise;
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      };
    },
  });
  onTestFinished(() => world.close());
  const settled = Promise.withResolvers<void>();
  const settle = world.store.settle.bind(world.store);
  world.store.settle = (settlements) => settle(settlements).finally(settled.resolve);
  await asked;
  await world.reconfigure({ crawler: '<Crawler name="other"><cw:PushTo sink="main"/></Crawler>' });
  expect([started, world.errors]).toEqual([[site.url('/')], []]);
});

it('links of a page that was in flight when the policy changed are judged by the new policy at its next visit', async () => {
  const html = '<title>Late</title><a href="/news">News</a>';
  const { site, asked, answer } = await siteWithLatePage(html);
  site.page('/news');
  const crawler = `<Root url="${site.url('/')}"/><cw:CrawlSpace rules="a.rules"/>`;
  const world = await CrawlWorld.start({ crawler, files: { 'a.rules': `forbid prefix ${site.url('/news')}\n` } });
  onTestFinished(() => world.close());
  await asked;
  await world.reconfigure({ crawler, files: { 'a.rules': '' } });
  world.clock.advanceTo(after(world.clock.now(), seconds(1)));
  answer();
  await world.untilIdle();
  expect(await world.state(site.url('/news'))).toBeUndefined();
  site.set('/', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(html));
  await world.engine.maintenance.refresh('test', { url: site.url('/') });
  await world.untilIdle();
  expect(await world.state(site.url('/news'))).toMatchObject({ status: 'indexed' });
});
