import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newUrl } from '../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../test/support/store-in-this-thread.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { instant, minutes } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { UrlCommand } from '../crawl/outcome/decision.js';
import { type LedgerEntry, StoreUnavailable } from '../ports/frontier-store.js';
import { Orders } from './orders.js';

const nodes = { notifyAllDue: () => undefined };
const HOST = 'a.example';
const slot = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const held = (uri: string, id: number): LedgerEntry => ({
  id,
  crawler: 'test',
  uri,
  hostKey: HOST,
  kind: 'delete',
  reason: 'http-5xx',
  state: 'held',
  decidedAt: instant(0),
  attempts: 0,
});

it('released deletions are sent in bounded batches, also while the store is locked or a page is being visited', async () => {
  const store = await openStoreInThisThread();
  const clock = new ManualClock();
  const uris = Array.from({ length: 700 }, (_, i) => `https://${HOST}/${i}`);
  await store.discover(uris.map((uri) => newUrl(uri, { crawler: 'test' })));
  await store.saveOrders(uris.map((uri, i) => held(uri, i + 1)));
  const fates: ('locked' | 'in flight')[] = [...uris.map(() => 'locked' as const), 'in flight', 'in flight'];
  let deciding = 0;
  let most = 0;
  const decide = async (_: UrlState, word: UrlCommand): Promise<boolean> => {
    most = Math.max(most, ++deciding);
    await slot();
    deciding--;
    const fate = fates.shift();
    if (fate === 'locked') throw new StoreUnavailable('the database is locked');
    if (fate === 'in flight') return false;
    if (word.do === 'send-again') await store.saveOrders([{ ...word.entry, state: 'acknowledged' }]);
    return true;
  };
  const crawler = { decide } as unknown as Crawler;
  const unexpected = () => expect.unreachable();
  const log = { debug: unexpected, info: unexpected, warn: unexpected, error: unexpected };
  const orders = new Orders({
    store,
    clock,
    log,
    listPending: async () => [],
    kept: { find: async () => undefined },
    crawlers: { findStored: () => crawler },
    nodes,
  });

  expect(await orders.releaseHeldDeletions(HOST)).toBe(uris.length);
  for (let slots = 0; (await store.countOrders({ state: 'held' })) > 0 && slots < 20_000; slots++) {
    await slot();
    if (slots % 100 === 99) clock.advance(minutes(1));
  }
  expect(await store.countOrders({ state: 'acknowledged' })).toBe(uris.length);
  expect(most).toBe(500);
  await store.close();
});

/** Operators' view of a store with these orders; `decide` is what the crawler does with a command. */
async function ordersOf(
  entries: readonly LedgerEntry[],
  decide: (state: UrlState, command: UrlCommand) => Promise<boolean> = async () => true,
  pending: readonly LedgerEntry[] = [],
) {
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const uris = new Set(entries.map(({ uri }) => uri));
  await store.discover([...uris].map((uri) => newUrl(uri, { crawler: 'test' })));
  await store.saveOrders(entries);
  const requested: unknown[] = [];
  const crawler = {
    decide,
    noteRequested: (ids: unknown) => requested.push(ids),
  } as unknown as Crawler;
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const crawlers = { findStored: (name: string) => (name === 'test' ? crawler : undefined) };
  const kept = { find: async () => undefined };
  const orders = new Orders({ store, clock, log, kept, listPending: async () => pending, crawlers, nodes });
  return { store, clock, orders, requested };
}

const URI = `https://${HOST}/x`;
const order = (id: number, parts: Partial<LedgerEntry> = {}): LedgerEntry => ({ ...held(URI, id), ...parts });

describe('a deletion that an operator sends again', () => {
  it('is answered with the order that this call made', async () => {
    const world = await ordersOf([order(1)], async (_, command) => {
      if (command.do !== 'send-again') return expect.unreachable();
      const decidedAt = world.clock.now();
      await world.store.saveOrders([order(1, { state: 'dropped' }), order(2, { state: 'pending', decidedAt })]);
      return true;
    });
    expect(await world.orders.retry(1)).toMatchObject({ id: 2, state: 'pending' });
  });

  it('is answered with its own outcome, not with that of a newer order from before the call', async () => {
    const { orders, store } = await ordersOf([order(1), order(2, { state: 'acknowledged' })], async () => {
      await store.saveOrders([order(1, { state: 'acknowledged', attempts: 3 })]);
      return true;
    });
    expect(await orders.retry(1)).toMatchObject({ id: 1, state: 'acknowledged', attempts: 3 });
  });

  it.each(['acknowledged', 'dropped', 'cancelled', 'pending'] as const)('cannot be one that is %s', async (state) => {
    const { orders } = await ordersOf([order(1, { state })]);
    await expect(orders.retry(1)).rejects.toThrow(`order 1 is ${state}`);
  });

  it('is refused if there is no such order, if its URL or crawler is unknown, or while its page is visited', async () => {
    const { orders, store } = await ordersOf([order(1), order(2, { crawler: 'gone' })], async () => false);
    await store.saveOrders([order(3, { uri: `https://${HOST}/unknown` })]);
    await expect(orders.retry(9)).rejects.toThrow('there is no order 9');
    await expect(orders.retry(2)).rejects.toThrow('no longer known to crawler gone');
    await expect(orders.retry(3)).rejects.toThrow('no longer known to crawler test');
    await expect(orders.retry(1)).rejects.toThrow('is being visited');
  });
});

it.each([true, false])('a refused document is fetched anew by the owner of its host; free: %s', async (isFree) => {
  const words: UrlCommand[] = [];
  const decide = async (_: UrlState, word: UrlCommand) => words.push(word) > 0 && isFree;
  const { orders, store, requested } = await ordersOf([order(1, { kind: 'add', state: 'refused' })], decide);
  const settle = vi.spyOn(store, 'settle');
  const notify = vi.spyOn(nodes, 'notifyAllDue');
  await orders.retryAll([1]);
  expect(notify).toHaveBeenCalledOnce();
  notify.mockRestore();
  expect(words).toEqual([{ do: 'visit', anew: true }]);
  expect(requested).toHaveLength(isFree ? 0 : 1);
  // Without the fence of the owner, a URL must not be changed.
  expect(settle).not.toHaveBeenCalled();
  expect(await store.getOrder(1)).toMatchObject({ state: 'dropped' });
});

it('orders in flight are listed like those of the ledger, newest first, by any of their properties', async () => {
  const pending = order(5, { kind: 'add', reason: 'accepted', state: 'pending' });
  const { orders } = await ordersOf([order(5, { state: 'refused' }), order(4)], undefined, [pending]);
  const list = async (filter: Parameters<typeof orders.list>[0], before?: number) =>
    (await orders.list(filter, before, 10)).map(({ id, state }) => `${id} ${state}`);
  expect(await list({})).toEqual(['5 pending', '4 held']);
  expect(await list({}, 5)).toEqual(['4 held']);
  expect(await orders.list({}, undefined, 1)).toEqual([pending]);
  const { state, kind, crawler, uri, reason, hostKey } = pending;
  for (const [name, value] of Object.entries({ state, kind, crawler, uri, reason, hostKey })) {
    expect(await list({ [name]: value }), name).toContain('5 pending');
    expect(await list({ [name]: 'other' }), name).toEqual([]);
  }
});
