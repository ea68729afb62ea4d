import { expect, it } from 'vitest';
import { instant } from '../../../domain/time/units.js';
import { type CrawlerWork, mergeWork } from './crawler-work.js';
import type { Load } from './limited-by.js';

type Waiting = Load['waiting'];
const waiting = (parts: Partial<Waiting> = {}): Waiting =>
  ({ hosts: 1, urls: 10, largest: [], limitedByHost: true, ...parts }) as Waiting;
const load = (parts: Partial<Load> = {}): Load => ({
  state: 'running',
  waiting: waiting(),
  fetching: 1,
  concurrency: 8,
  sinks: [],
  hasRoom: true,
  storeFollows: true,
  ...parts,
});
const work = (parts: Partial<CrawlerWork> = {}): CrawlerWork => ({
  name: 'docs',
  hasHosts: true,
  picks: [1, 2],
  pagesPerSecond: 3,
  errorsPerSecond: 0.5,
  ordersPerSecond: 2,
  active: 4,
  pendingOrders: 5,
  idle: true,
  load: load(),
  ...parts,
});
const withLoad = (parts: Partial<Load>, more: Partial<CrawlerWork> = {}) => work({ load: load(parts), ...more });
const merged = (...loads: readonly Partial<Load>[]) => {
  const [own, ...others] = loads.map((parts) => withLoad(parts));
  return mergeWork(own!, others).load;
};

it('what nodes do for a crawler adds up, and it is idle only if all are', () => {
  const other = work({
    picks: [10, 20],
    pagesPerSecond: 1,
    errorsPerSecond: 1,
    ordersPerSecond: 1,
    active: 1,
    pendingOrders: 1,
  });
  expect(mergeWork(work(), [other, other])).toMatchObject({
    name: 'docs',
    hasHosts: true,
    picks: [21, 42],
    pagesPerSecond: 5,
    errorsPerSecond: 2.5,
    ordersPerSecond: 4,
    active: 6,
    pendingOrders: 7,
    idle: true,
  });
  expect(mergeWork(work(), [work({ idle: false })]).idle).toBe(false);
});

it('only nodes with hosts count for what limits the crawl; without any, this node says it', () => {
  const idleNode = withLoad({ fetching: 100, concurrency: 100, hasRoom: false }, { hasHosts: false });
  expect(mergeWork(work(), [idleNode]).load).toMatchObject({ fetching: 1, concurrency: 8, hasRoom: true });
  expect(mergeWork(idleNode, [work()])).toMatchObject({ hasHosts: true, load: { fetching: 1, concurrency: 8 } });
  expect(mergeWork(idleNode, [idleNode])).toMatchObject({ hasHosts: false, load: { fetching: 100 } });
});

it('loads add up; the state is that of this node', () => {
  const sink = (name: string) => ({ name }) as never;
  expect(
    merged({ state: 'paused', sinks: [sink('a')] }, { fetching: 2, concurrency: 4, sinks: [sink('b')] }),
  ).toMatchObject({ state: 'paused', fetching: 3, concurrency: 12, sinks: [{ name: 'a' }, { name: 'b' }] });
  expect(merged({}, { hasRoom: false }).hasRoom).toBe(false);
  expect(merged({}, { storeFollows: false }).storeFollows).toBe(false);
  expect(merged({}, {})).toMatchObject({ hasRoom: true, storeFollows: true });
});

it('waiting URLs add up; the two largest hosts and the next request of all nodes are named', () => {
  const host = (hostKey: string, urls: number) => ({ hostKey, urls });
  const { waiting: all } = merged(
    { waiting: waiting({ hosts: 2, urls: 5, largest: [host('a', 3), host('b', 1)], nextRequestAt: instant(9) }) },
    { waiting: waiting({ hosts: 3, urls: 7, largest: [host('c', 4), host('d', 2)], nextRequestAt: instant(10) }) },
    { waiting: waiting({ hosts: 0, urls: 0 }) },
  );
  expect(all).toMatchObject({ hosts: 5, urls: 12, largest: [host('c', 4), host('a', 3)], nextRequestAt: 9 });
  expect(merged({}, {}).waiting.nextRequestAt).toBeUndefined();
});

it('hosts or schedules are the limit only if they are on every node that has URLs', () => {
  const until = (urls: number, closedUntil?: number) => ({
    waiting: waiting({ urls, ...(closedUntil === undefined ? {} : { closedUntil: instant(closedUntil) }) }),
  });
  expect(merged(until(1, 9), until(1, 8)).waiting.closedUntil).toBe(8);
  expect(merged(until(1, 9), until(1)).waiting).not.toHaveProperty('closedUntil');
  expect(merged(until(1, 9), until(0)).waiting.closedUntil).toBe(9);
  expect(merged(until(0), until(0)).waiting).not.toHaveProperty('closedUntil');
  const limited = (urls: number, limitedByHost: boolean) => ({ waiting: waiting({ urls, limitedByHost }) });
  expect(merged(limited(1, true), limited(1, true)).waiting.limitedByHost).toBe(true);
  expect(merged(limited(1, true), limited(1, false)).waiting.limitedByHost).toBe(false);
  expect(merged(limited(1, true), limited(0, false)).waiting.limitedByHost).toBe(true);
  expect(merged(limited(0, true), limited(0, true)).waiting.limitedByHost).toBe(false);
});
