import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
import type { PageTask } from '../../ports/page-task.js';
import { PageRequests } from './page-requests.js';

it.each<[string, Partial<UrlState>, string | undefined, bigint | undefined]>([
  ['that is indexed', { stamp: 'c' }, 'c', 7n],
  ['that is in doubt after a crash', { stamp: 'c', url: 'http://a.example/doubt' }, UNKNOWN_STAMP, 7n],
  ['that has left the index', {}, undefined, undefined],
  ['that has left it, in doubt after a crash', { url: 'http://a.example/doubt' }, UNKNOWN_STAMP, undefined],
])('what is found is compared with a text %s', async (_, page, stamp, textSketch) => {
  const state = { id: 1, url: 'http://a.example/', discoveredVia: 'redirect', textSketch: 7n, ...page } as UrlState;
  const tasks: PageTask[] = [];
  const run = (...steps: unknown[]) => (steps.at(-1) as (more: undefined) => unknown)(undefined);
  const services = {
    clock: new ManualClock(),
    partitions: {},
    rendered: { run },
    ocr: { run },
    probes: { hasErrorPage: () => false },
    processor: { process: async (task: PageTask) => tasks.push(task) },
    tracing: { recordResponse: () => undefined },
    inDoubt: { applyDoubt: (one: UrlState) => (one.url.endsWith('doubt') ? { ...one, stamp: UNKNOWN_STAMP } : one) },
  };
  const none = async () => undefined;
  const target = {
    context: { definition: { refresh: {} }, roots: new Map() },
    endless: { findNeededWords: none },
    rediscovery: { needsAllLinks: none },
    repeated: { find: none },
    current: { policySince: 0 },
  };
  const others = [{ findPreferences: none }, { findRetry: () => undefined }, { createSession: none }];
  const requests = new PageRequests(
    ...([services, target, ...others] as never as ConstructorParameters<typeof PageRequests>),
  );
  await requests.send({ state, url: { href: state.url } } as never);
  expect(tasks).toMatchObject([{ stamp, textSketch }]);
});
