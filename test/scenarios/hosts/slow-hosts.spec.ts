/** What is said about a host that is crawled slowly. */
import { expect, it } from 'vitest';
import { instant, milliseconds, seconds } from '../../../src/domain/time/units.js';
import type { PageProcessor } from '../../../src/engine/ports/page-processor.js';
import type { PageResult } from '../../../src/engine/ports/page-task.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));

/** Crawls part of a site with many pages, and returns why no more of it. */
async function why(
  options: { aggressive?: boolean; robots?: string; more?: string; result?: Partial<PageResult> } = {},
) {
  const site = await startSite();
  const paths = Array.from({ length: 250 }, (_, n) => `/${n + 1}`);
  site.page('/', paths);
  for (const path of paths) site.page(path);
  if (options.robots) site.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: options.robots });
  const world = await start({
    attributes: `aggressive="${options.aggressive === true}" throttleTimeMS="1000" nthreads="4"`,
    crawler: `<Root url="${site.url('/')}"/>${options.more ?? ''}`,
    clock: new ManualClock(NOON),
    processor: (processor: PageProcessor) => {
      const process = processor.process.bind(processor);
      processor.process = async (task, onReading) => ({ ...(await process(task, onReading)), ...options.result });
    },
  });
  await world.pass(seconds(12));
  const [view] = await world.engine.listCrawlers();
  const { crawlDelay, pauseCause } = await world.engine.hosts.get(new URL(site.url('/')).host);
  return { limitedBy: view!.limitedBy, host: { pause: crawlDelay, pauseCause } };
}

it.each([
  ['crawler', 1_000, {}],
  ['robots', 4_000, { robots: 'User-agent: *\nCrawl-delay: 4' }],
  ['schedule', 3_000, { more: '<cw:Schedule><cw:Window throttleTimeMS="3000"/></cw:Schedule>' }],
  ['reading', 4_500, { result: { readingTime: milliseconds(500) } }],
  ['server-errors', 2_000, { result: { status: 500 } }],
  ['rendering', 6_000, { result: { rendering: { time: milliseconds(10), requests: 5, ownRequests: 5, refused: {} } } }],
] as const)('that its pause is due to %s', async (pauseCause, length, options) => {
  const { limitedBy, host } = await why(options);
  expect(host).toEqual({ pause: length, pauseCause });
  if (pauseCause !== 'server-errors')
    expect(limitedBy).toMatchObject({ kind: 'politeness', pause: length, pauseCause });
});

it('an aggressive crawler does not pause, whatever robots.txt asks for', async () => {
  const { host } = await why({ aggressive: true, robots: 'User-agent: *\nCrawl-delay: 4' });
  expect(host).toEqual({ pause: 0, pauseCause: 'crawler' });
});
