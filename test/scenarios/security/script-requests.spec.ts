/** Requests that scripts of other sites want to make to a host that is crawled, as the browser's thread asks for them. */
import { expect, it } from 'vitest';
import { seconds } from '../../../src/domain/time/units.js';
import type { PageProcessor, ScriptPermit } from '../../../src/engine/ports/page-processor.js';
import { start, startSite } from '../../support/scenario.js';

type Judge = (url: string, isScript: boolean) => Promise<ScriptPermit>;

async function crawlSite() {
  const site = await startSite();
  site.page('/', ['/a']).page('/a').set('/robots.txt', { body: 'User-agent: *\nCrawl-delay: 20' });
  let judge: Judge | undefined;
  const processor = (pages: PageProcessor): void => {
    pages.setScriptJudge = (given) => {
      judge = given;
    };
  };
  const world = await start({
    attributes: 'aggressive="false" throttleTimeMS="5000"',
    crawler: `<Root url="${site.url('/')}"/><Rules><Rule><Path val="/private.*"/><Ignore/></Rule></Rules>`,
    processor,
  });
  await world.untilIdle();
  return { site, world, judge: judge! };
}

it('each wait for ten pauses of the host, whose own pages wait for one pause after them', async () => {
  const { site, world, judge } = await crawlSite();
  expect(await judge(site.url('/api'), false)).toEqual({ pause: seconds(200) });
  const asked = world.clock.now();
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle();
  expect((await world.state(site.url('/a')))!.lastVisitAt! - asked).toBeGreaterThanOrEqual(seconds(20));
});

it('are refused for data that the rules of its crawler exclude, and not for scripts', async () => {
  const { site, judge } = await crawlSite();
  expect(await judge(site.url('/private/api'), false)).toEqual({ refusal: 'crawl-space' });
  expect(await judge(site.url('/private/app.js'), true)).toEqual({ pause: seconds(200) });
});

it('wait while the host rests, and are not limited on hosts that are not crawled', async () => {
  const { site, world, judge } = await crawlSite();
  site.set('/a', { status: 503, headers: { 'retry-after': '600' } });
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.pass(seconds(60));
  expect(await judge(site.url('/api'), false)).toEqual({ refusal: 'host-rests' });
  expect(await judge('https://cdn.example/api', false)).toEqual({});
});
