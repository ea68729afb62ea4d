import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Crawler } from './crawler.js';
import { Tally } from './load/metrics.js';

/** A crawler on a node that owns these partitions, all of them if undefined. */
function onNode(owned: readonly number[] | undefined) {
  const tally = new Tally(new ManualClock());
  const definition = crawlerDefinition({ pushTo: ['main'] });
  const services = {
    partitions: { owned },
    events: { emit: () => undefined },
    delivery: { listViews: () => [{ name: 'main' }, { name: 'other' }], hasRoom: () => true, listPending: () => [] },
  };
  const loop = { fetchesInFlight: 0, setRunning: () => undefined };
  const frontier = { picks: new Map(), summarizeWaiting: () => ({}), isEmpty: () => true };
  const sweeps = { start: async () => undefined, isFrontierFilled: true };
  const parts = { tally, loop, frontier, sweeps, inFlight: new Set(), decisions: {} };
  const current = { definition, context: { definition }, deletions: {} };
  return {
    tally,
    crawler: new Crawler(services as never, current as never, parts as never, () => expect.unreachable()),
  };
}

it('a node has hosts of a crawler unless it owns no partition', () => {
  const hasHosts = (owned?: readonly number[]) => onNode(owned).crawler.getWork().hasHosts;
  expect([hasHosts(), hasHosts([3]), hasHosts([])]).toEqual([true, true, false]);
});

it('a crawler is as busy as the sinks to which it pushes', () => {
  expect(onNode(undefined).crawler.getWork().load.sinks).toEqual([{ name: 'main' }]);
});

it('a crawler has caught up once each time that it becomes idle after visits', async () => {
  const { crawler, tally } = onNode(undefined);
  const visit = () => tally.countVisit('indexed', false, 1, 1);
  visit();
  expect(crawler.consumeCaughtUp()).toBe(false);
  await crawler.setState('running');
  expect([crawler.consumeCaughtUp(), crawler.consumeCaughtUp()]).toEqual([true, false]);
  visit();
  expect([crawler.consumeCaughtUp(), crawler.consumeCaughtUp()]).toEqual([true, false]);
});
