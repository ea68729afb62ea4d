import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { milliseconds, seconds } from '../../../domain/time/units.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import { ScriptRequests } from './script-requests.js';

const context = (parts: object): CrawlContext =>
  ({
    definition: crawlerDefinition(parts),
    fetcher: { robotsAgent: 'crawlway' },
    roots: { cover: () => true, findBySite: () => undefined },
    policy: { judge: () => ({ accepted: true }) },
  }) as unknown as CrawlContext;

it.each([
  ['no pause with aggressive', 0, [{ aggressive: true }]],
  ['ten pauses', 20, [{ throttle: seconds(2) }]],
  [
    'ten of the longest of all crawlers',
    30,
    [{ throttle: seconds(2) }, { throttle: seconds(3) }, { aggressive: true }],
  ],
])('after a request by the script of another site, its next one waits %s', async (_, pause, definitions) => {
  const recorded: number[] = [];
  const host = { paused: false, isResting: () => false };
  const services = {
    clock: new ManualClock(),
    robots: { findCrawlDelay: () => undefined },
    hosts: {
      peek: () => host,
      recordRequestStartWithPermit: async (_host: unknown, delay: number) => recorded.push(delay),
    },
  } as never;
  const requests = new ScriptRequests(services, () => definitions.map(context));
  expect(await requests.judge('https://a.example/app.js', true)).toEqual({ pause: seconds(pause) });
  expect(recorded).toEqual([milliseconds((pause * 1_000) / 10)]);
});
