import { expect, it, onTestFinished, vi } from 'vitest';
import { newUrl } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { until } from '../../../../test/support/until.js';
import { loadRegistrableDomains } from '../../../adapters/system/registrable-domain.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import { after, before, days, instant } from '../../../domain/time/units.js';
import { NO_OTHERS, SOLE_OWNER } from '../../support/single-node.js';
import { Hosts } from '../hosts/hosts.js';
import { Strangers } from '../hosts/strangers.js';
import { Frontier } from './frontier.js';
import type { Gates } from './gates.js';

const HOST = 'http://a.example';
const URLS = 3_000;

async function open(
  weights: readonly number[] = [1, 1, 1, 1, 1, 1],
  clock: ManualClock = new ManualClock(),
  gates?: Gates,
) {
  const store = await openStoreInThisThread();
  const strangers = new Strangers(loadRegistrableDomains);
  await strangers.load();
  const hosts = new Hosts(store, clock);
  const settings = { weights, concurrencyPerHost: 10_000, maximumAge: days(1) };
  const services = { store, hosts, clock, partitions: SOLE_OWNER, nodes: NO_OTHERS, strangers };
  const frontier = new Frontier('docs', services, settings, gates);
  onTestFinished(async () => {
    frontier.close();
    hosts.close();
    await store.close();
  });
  const host = hosts.get(HOST);
  await until(() => host.loaded);
  return { store, clock, frontier, hosts };
}

it('a long queue has one window in memory, and the store is read once per window', async () => {
  const { store, clock, frontier } = await open();
  const due = vi.spyOn(store, 'listDue');

  for (let i = 0; i < URLS; i++) {
    const seeded = await store.seed([newUrl(`${HOST}/${i}`, { source: 0, dueAt: clock.now() })]);
    frontier.admit(seeded.map(({ state }) => state));
  }
  expect(frontier.summarizeWaiting().urls).toBeLessThanOrEqual(2 * 512);

  const given = new Set<number>();
  await until(async () => {
    const taken: UrlState[] = [];
    for (let next = frontier.takeNext(); next; next = frontier.takeNext()) {
      taken.push(next.url);
      given.add(next.url.id);
      frontier.offerAgain(next.host);
    }
    await store.settle(taken.map(({ id }) => ({ id, changes: { source: null } })));
    for (const url of taken) frontier.requeue(url, undefined);
    return given.size === URLS;
  });
  expect(due.mock.calls.length).toBeLessThan(30);
});

it('a new URL waits behind those that only the store has', async () => {
  const { store, clock, frontier } = await open();
  const add = async (paths: readonly number[]): Promise<void> =>
    frontier.admit(
      (await store.seed(paths.map((path) => newUrl(`${HOST}/${path}`, { source: 0, dueAt: clock.now() })))).map(
        ({ state }) => state,
      ),
    );
  await add(Array.from({ length: 600 }, (_, i) => i));
  await until(() => frontier.summarizeWaiting().urls === 512);
  const taken: string[] = [];
  const take = async (): Promise<void> => {
    const { url, host } = await until(() => frontier.takeNext());
    taken.push(url.url);
    await store.settle([{ id: url.id, changes: { source: null } }]);
    frontier.requeue(url, undefined);
    frontier.offerAgain(host);
  };
  for (let i = 0; i < 100; i++) await take();
  await add([600]);
  while (taken.length < 601) await take();
  expect(taken.at(-1)).toBe(`${HOST}/600`);
});

it('when every URL in memory is settled without a visit, the rest is read from the store', async () => {
  const { store, clock, frontier } = await open();
  const urls = Array.from({ length: URLS }, (_, i) => newUrl(`${HOST}/${i}`, { source: 0, dueAt: clock.now() }));
  const states = (await store.seed(urls)).map(({ state }) => state);
  frontier.admit(states);
  await until(() => frontier.summarizeWaiting().urls > 0);
  for (let slots = 0; slots < 10; slots++) await new Promise((resolve) => setImmediate(resolve));
  const decided = states.slice(0, URLS - 1);
  for (const state of decided) expect(frontier.hold(state)).toBe(true);
  await store.settle(decided.map(({ id }) => ({ id, remove: true })));
  for (const state of decided) frontier.requeue(state, undefined);
  const last = await until(() => frontier.takeNext());
  expect(last.url).toEqual(states.at(-1));
  frontier.requeue(last.url, undefined);
  await until(() => frontier.isEmpty());
});

it('documents past their maximum age precede a long submitted list, and alternate with it when there are many', async () => {
  const { store, clock, frontier } = await open();
  const add = async (path: string, count: number, fields: Parameters<typeof newUrl>[1]) => {
    const urls = Array.from({ length: count }, (_, i) =>
      newUrl(`${HOST}/${path}${i}`, { dueAt: clock.now(), ...fields }),
    );
    return (await store.seed(urls)).map(({ state }) => state);
  };
  const visited = await add('old', 3, { source: undefined });
  const late = { source: 5, dueAt: clock.now(), lastVisitAt: instant(clock.now() - days(2)) } as const;
  await store.settle(visited.map(({ id }) => ({ id, changes: late })));
  frontier.admit(await add('submitted', 100, { source: 0 }));
  frontier.admit(visited.map((state) => ({ ...state, ...late })));
  await until(() => frontier.summarizeWaiting().urls === 103);

  const picked: string[] = [];
  for (let i = 0; i < 8; i++) {
    const { url, host } = await until(() => frontier.takeNext());
    picked.push(url.url.slice(HOST.length + 1));
    frontier.offerAgain(host);
  }
  const submitted = ['submitted0', 'submitted1', 'submitted2', 'submitted3', 'submitted4'];
  expect(picked.filter((path) => path.startsWith('s'))).toEqual(submitted);
  expect(picked.slice(0, 6)).toEqual(['old0', 'submitted0', 'old1', 'submitted1', 'old2', 'submitted2']);
});

it('a store that answers late does not change the order: every window of picks has each source exactly its weight', async () => {
  const weights = [100, 20, 10, 4, 2, 1];
  const period = weights.reduce((sum, weight) => sum + weight);
  const { store, clock, frontier } = await open(weights);
  const urls = weights.flatMap((weight, source) =>
    Array.from({ length: weight * 30 }, (_, i) =>
      newUrl(`${HOST}/${source}/${i}`, { source: source as SourceNumber, dueAt: clock.now() }),
    ),
  );
  frontier.admit((await store.seed(urls)).map(({ state }) => state));
  // All sources have their first URLs.
  await until(() => frontier.summarizeWaiting().urls === weights.reduce((n, w) => n + Math.min(512, w * 30), 0));
  const listDue = store.listDue.bind(store);
  vi.spyOn(store, 'listDue').mockImplementation(async (...query) => {
    for (let slots = 0; slots < 20; slots++) await new Promise((resolve) => setImmediate(resolve));
    return listDue(...query);
  });

  let wakes = 0;
  frontier.onReady(() => wakes++);
  const picks: number[] = [];
  // Until the first source has no more.
  while (picks.length < period * 29) {
    const next = frontier.takeNext();
    if (!next) {
      const before = wakes;
      await until(() => wakes > before);
      continue;
    }
    picks.push(next.source);
    frontier.offerAgain(next.host);
  }

  const counts = new Set<string>();
  for (let start = 0; start + period <= picks.length; start++) {
    const window = picks.slice(start, start + period);
    counts.add(weights.map((_, source) => window.filter((pick) => pick === source).length).join());
  }
  expect([...counts]).toEqual([weights.join()]);
});

it("strangers' URLs get one visit in 21 of a host whose own pages wait, also when all other hosts have none of theirs", async () => {
  const { store, clock, frontier } = await open([10_000, 2_000, 1_000, 100, 10, 1]);
  const add = async (host: string, path: string, source: SourceNumber, foundOn: string, count: number) => {
    const named = { source, foundOn, discoveredVia: 'link', hostKey: host, dueAt: clock.now() } as const;
    const urls = Array.from({ length: count }, (_, i) => newUrl(`${host}/${path}${i}`, named));
    frontier.admit((await store.seed(urls)).map(({ state }) => state));
  };
  for (let i = 0; i < 30; i++) await add(`http://host${i}.example`, 'own', 3, `http://host${i}.example/`, 100);
  await add(HOST, 'own', 3, `${HOST}/`, 105);
  await add(HOST, 'strange', 4, 'http://evil.test/', 105);
  const isNext = () => frontier.takeNext();
  let next = await until(isNext);
  const visits: string[] = [];
  for (; next && visits.length < 126; next = await until(isNext)) {
    if (next.host.key === HOST) visits.push(new URL(next.url.url).pathname.replace(/\d+/, ''));
    frontier.offerAgain(next.host);
  }
  expect(visits.slice(0, 110).filter((path) => path === '/strange')).toHaveLength(5);
  // Nothing else waits.
  expect(visits.slice(110).every((path) => path === '/strange')).toBe(true);
});

it('no host limits a crawl that has nothing to visit', async () => {
  const { frontier } = await open();
  expect(frontier.summarizeWaiting()).toMatchObject({ hosts: 0, urls: 0, limitedByHost: false });
});

it('may have a URL by the time at which one becomes due', async () => {
  const { store, clock, frontier } = await open();
  const dueAt = after(clock.now(), days(1));
  const seeded = await store.seed([newUrl(`${HOST}/later`, { source: 0, dueAt })]);
  frontier.admit(seeded.map(({ state }) => state));
  await until(() => !frontier.mayHaveUrlBefore(clock.now()));
  expect(frontier.mayHaveUrlBefore(before(dueAt, days(0.5)))).toBe(false);
  expect(frontier.mayHaveUrlBefore(dueAt)).toBe(true);
});

it('says until when a schedule keeps all hosts with waiting URLs closed', async () => {
  const clock = new ManualClock();
  const opensAt = after(clock.now(), days(0.5));
  let isClosed = true;
  const gates = {
    findReopeningTime: () => (isClosed ? opensAt : undefined),
    assign: () => undefined,
    setOfferHandler: () => undefined,
  };
  const { store, frontier } = await open([1, 1, 1, 1, 1, 1], clock, gates as unknown as Gates);
  const seeded = await store.seed([newUrl(`${HOST}/a`, { source: 0, dueAt: clock.now() })]);
  frontier.admit(seeded.map(({ state }) => state));
  await until(() => frontier.summarizeWaiting().urls > 0);
  expect(frontier.summarizeWaiting()).toMatchObject({ hosts: 1, closedUntil: opensAt });
  isClosed = false;
  expect(frontier.summarizeWaiting()).not.toHaveProperty('closedUntil');
});

it('a URL of a resting host that is being visited is not queued for another visit at once', async () => {
  const { store, clock, frontier, hosts } = await open();
  const seeded = await store.seed([newUrl(`${HOST}/a`, { source: 0, dueAt: clock.now() })]);
  const [state] = seeded.map((one) => one.state);
  frontier.admit([state!]);
  const next = await until(() => frontier.takeNext());
  expect(next.url.id).toBe(state!.id);
  frontier.admit([state!]);
  frontier.offerAgain(next.host);
  expect(frontier.takeNext()).toBeUndefined();
  hosts.backOff(next.host, days(1));
  await hosts.setPaused(next.host, true);
  expect(frontier.listRestingHosts(9)).toEqual([]);
  await hosts.setPaused(next.host, false);
  expect(frontier.listRestingHosts(9)).toEqual([next.host.key]);
  expect(frontier.queueUrgently(state!)).toBe(false);
  frontier.requeue(state!, undefined);
  expect(frontier.queueUrgently(state!)).toBe(true);
});

it('a requested URL of a new host is visited as soon as the store has told what is known about the host', async () => {
  const { store, clock, frontier, hosts } = await open();
  const hostKey = 'http://b.example';
  const [seeded] = await store.seed([newUrl(`${hostKey}/1`, { source: 0, dueAt: clock.now(), hostKey })]);
  const wake = vi.fn();
  frontier.onReady(wake);
  expect(frontier.queueUrgently(seeded!.state)).toBe(true);
  expect(frontier.takeNext()).toBeUndefined();
  wake.mockClear();
  await until(() => hosts.get(hostKey).loaded);
  expect(wake).toHaveBeenCalled();
  expect(frontier.takeNext()?.url.id).toBe(seeded!.state.id);
});

it('of the hosts with URLs in memory, the two with the most are named', async () => {
  const { store, clock, frontier } = await open();
  const urls = ['http://b.example/1', ...[1, 2, 3].map((i) => `http://c.example/${i}`), `${HOST}/1`, `${HOST}/2`];
  const seeded = await store.seed(
    urls.map((url) => newUrl(url, { source: 0, dueAt: clock.now(), hostKey: new URL(url).origin })),
  );
  frontier.admit(seeded.map(({ state }) => state));
  await until(() => frontier.summarizeWaiting().urls === 6);
  expect(frontier.summarizeWaiting().largest.map((host) => [host.hostKey, host.urls])).toEqual([
    ['http://c.example', 3],
    [HOST, 2],
  ]);
});

it('a sweep finds the due URLs of all hosts, however many pages of the store they fill', async () => {
  const { store, clock, frontier } = await open();
  const keys = ['a', 'b', 'c', 'd', 'e'].map((name) => `http://${name}.example`);
  await store.seed(keys.map((hostKey) => newUrl(`${hostKey}/1`, { source: 0, dueAt: clock.now(), hostKey })));
  const listBacklogs = store.listBacklogs.bind(store);
  vi.spyOn(store, 'listBacklogs').mockImplementation((crawler, horizon, after, _limit, partitions) =>
    listBacklogs(crawler, horizon, after, 2, partitions),
  );
  await frontier.sweep(clock.now());
  await until(() => frontier.summarizeWaiting().urls === keys.length);
});

it('a host whose URLs are all settled leaves memory with the next sweep, one with a URL due by then does not', async () => {
  const timers = new Set<number>();
  const clock = new ManualClock();
  const at = clock.at.bind(clock);
  clock.at = (time, action) => {
    timers.add(time);
    const cancel = at(time, action);
    return () => {
      timers.delete(time);
      cancel();
    };
  };
  const { store, frontier, hosts } = await open(undefined, clock);
  const seeded = await store.seed([newUrl(`${HOST}/a`, { source: 0, dueAt: clock.now() })]);
  frontier.admit(seeded.map(({ state }) => state));
  const { url, host } = await until(() => frontier.takeNext());
  await frontier.sweep(clock.now());
  expect(hosts.peek(host.key), 'while a URL is in flight').toBe(host);
  const dueAt = after(clock.now(), days(1));
  await store.settle([{ id: url.id, changes: { source: 5, dueAt } }]);
  frontier.requeue(url, { source: 5, dueAt });
  await frontier.sweep(dueAt);
  expect(hosts.peek(host.key), 'while a URL is due').toBe(host);
  expect(timers.has(dueAt)).toBe(true);
  await frontier.sweep(before(dueAt, days(0.5)));
  expect(hosts.peek(host.key)).toBeUndefined();
  expect(timers.has(dueAt), 'a timer for it').toBe(false);
});

it('a host that becomes ready wakes the visits only if it has a URL for them', async () => {
  const { store, clock, frontier } = await open();
  const admit = async (path: string) => {
    const seeded = await store.seed([newUrl(`${HOST}/${path}`, { source: 0, dueAt: clock.now() })]);
    frontier.admit(seeded.map(({ state }) => state));
  };
  await admit('a');
  const { host } = await until(() => frontier.takeNext());
  let wakes = 0;
  frontier.onReady(() => wakes++);
  frontier.offerAgain(host);
  expect(wakes).toBe(0);
  await admit('b');
  await until(() => wakes > 0);
  expect(frontier.takeNext()?.url.url).toBe(`${HOST}/b`);
});
