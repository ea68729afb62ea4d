import { expect, it, onTestFinished } from 'vitest';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';

it('a change of the fetchers lets pages under way come to their end', async () => {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    site.set('/', (_request, response) => {
      answer = () => void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Late</title>');
      resolve();
      return undefined;
    });
  });
  const crawler = `<Root url="${site.url('/')}" site="true"/>`;
  const world = await CrawlWorld.start({ crawler });
  onTestFinished(() => world.close());
  await asked;
  const fetcher = '<cw:Fetcher name="default" userAgent="Another/2"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
  await world.reconfigure({ crawler, more: fetcher });
  answer();
  await world.untilIdle();
  const [state] = (await world.engine.search({ crawler: 'test' }, 0, 10)).urls;
  expect(state).toMatchObject({ status: 'indexed', title: 'Late', visits: 1 });
});
