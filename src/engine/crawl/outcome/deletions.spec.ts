import { describe, expect, it, onTestFinished } from 'vitest';
import { crawlerDefinition } from '../../../../test/support/crawler-definition.js';
import { discovered, newUrl, order } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { state } from '../../../../test/support/url-states.js';
import type { DeletionGuardDefinition } from '../../../domain/crawl/definition.js';
import { GIVEN_UP } from '../../../domain/crawl/disposition.js';
import { AWAITING_TARGET } from '../../../domain/crawl/revisit.js';
import type { StateChanges } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import { ORDER_BLOCK_SIZE } from '../../../domain/push/order.js';
import { WITH_ITS_PAGE } from '../../../domain/push/parts.js';
import { after, before, type Duration, hours, type Instant, instant, minutes } from '../../../domain/time/units.js';
import type { LedgerEntry } from '../../ports/frontier-store.js';
import type { HostTroubles, Wait, WantedDeletion } from '../evidence/host-trouble.js';
import { Deletions } from './deletions.js';

const HOST = 'a.example';
const WAIT: Wait = { wait: 'awaiting-sign-of-life', until: instant(1) };
const LOOK: Wait = { wait: 'awaiting-early-look', until: instant(2) };

/** The guard of a crawler; a host has 1,000 documents unless said otherwise, and nothing to wait for. */
async function guardOf(settings: Partial<DeletionGuardDefinition> = {}, entries: Partial<LedgerEntry>[] = []) {
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const now = clock.now();
  const orders = entries.map((entry, i) => order(i + 1, { hostKey: HOST, kind: 'delete', decidedAt: now, ...entry }));
  await store.settle([{ id: 0, orders }]);
  const world = {
    indexed: 1_000,
    fault: 'pass' as Wait | 'pass',
    gone: 'pass' as Wait | 'pass' | 'hold',
    inDoubt: false,
    lastSign: undefined as Instant | undefined,
    asked: [] as string[],
    failures: 0,
  };
  const troubles = {
    judgeFault: async () => {
      world.asked.push('sign');
      return world.fault;
    },
    judgeGone: async () => {
      world.asked.push('look');
      return world.gone;
    },
    isInDoubt: async () => world.inDoubt,
    findLastSignOfLife: () => world.lastSign,
  } as unknown as HostTroubles;
  const services = {
    ...{ clock, troubles },
    store: {
      list: store.list.bind(store),
      listOrders: async (...args: Parameters<typeof store.listOrders>) => {
        if (world.failures-- > 0) throw new Error('the store is busy');
        return store.listOrders(...args);
      },
      countIndexedOfHost: async () => world.indexed,
    },
  };
  const definition = { ...crawlerDefinition().deletionGuard, ...settings };
  const guard = new Deletions('docs', definition, services);
  const judge = (reason: Reason, more: Partial<WantedDeletion> & { hostKey?: string; id?: number } = {}) => {
    const { hostKey = HOST, id = 7, ...rest } = more;
    return guard.judge({ state: state({ id, hostKey }), reason, startedAt: now, waitingSince: undefined, ...rest });
  };
  /** Judges one deletion after the other until one is not sent; returns how many were, and the verdict on the last. */
  const countSent = async (reason: Reason, more: Parameters<typeof judge>[1] = {}) => {
    for (let sent = 0; ; sent++) {
      const verdict = await judge(reason, more);
      if (verdict !== 'send' || sent === 999) return [sent, verdict];
    }
  };
  return { guard, store, clock, world, judge, countSent };
}

describe('what is asked before a document is deleted', () => {
  it.each<[string, Reason, Partial<DeletionGuardDefinition>, { indexed?: number; inDoubt?: boolean }, string[]]>([
    ['a fault of the server needs a sign of life', 'http-5xx', {}, {}, ['sign']],
    ['a page that was given up, too', GIVEN_UP, {}, {}, ['sign']],
    ['but not if signs are not wanted', 'http-5xx', { signOfLife: false }, {}, []],
    ['nothing is asked if the guard is off', 'http-5xx', { on: false }, {}, []],
    ['nor for a page that is gone', 'http-404', { on: false }, {}, []],
    ['a page that is gone on a large host needs an early look', 'http-404', {}, {}, ['look']],
    ['and a sign, if a page of the host has a wrong text', 'http-404', {}, { inDoubt: true }, ['sign', 'look']],
    ['on a host too small for the look, a sign', 'http-404', {}, { indexed: 50 }, ['sign', 'look']],
    ['the last page of a host needs none', 'http-404', {}, { indexed: 1 }, ['look']],
    ['nor does 410, which no server sends by mistake', 'http-410', {}, { indexed: 50, inDoubt: true }, ['look']],
    [
      'nor a page that is gone, if signs are not wanted',
      'http-404',
      { signOfLife: false },
      { inDoubt: true },
      ['look'],
    ],
    ['the wish of the author needs nothing', 'noindex', {}, { inDoubt: true }, []],
  ])('%s', async (_, reason, settings, host, asked) => {
    const { world, judge } = await guardOf(settings);
    Object.assign(world, host);
    expect(await judge(reason)).toBe('send');
    expect(world.asked).toEqual(asked);
  });

  it('waits for as long as what was asked says, and does not count what waits', async () => {
    const { world, judge, countSent } = await guardOf({ maxDeletions: 3, maxShare: 0 });
    world.fault = WAIT;
    for (let n = 0; n < 5; n++) expect(await judge('http-5xx')).toBe(WAIT);
    world.gone = LOOK;
    for (let n = 0; n < 5; n++) expect(await judge('http-404')).toBe(LOOK);
    world.gone = 'pass';
    expect(await countSent('http-404')).toEqual([3, 'hold']);
  });

  it.each([
    ['another page has the same trouble', { reason: 'redirect-target-failed' }, 'wait'],
    ['another page waits for its target', { reason: AWAITING_TARGET }, 'wait'],
    ['another page was given up', { reason: GIVEN_UP }, 'wait'],
    ['the other one has no document', { reason: GIVEN_UP, stamp: null }, 'send'],
    ['another page is well', { reason: 'indexed' }, 'send'],
  ] as const)('a redirect that leads nowhere, if %s: %s', async (_, other, verdict) => {
    const { store, clock, judge } = await guardOf();
    const pages = await discovered(store, newUrl(`http://${HOST}/1`), newUrl(`http://${HOST}/2`));
    const [own, second] = pages.map(({ id }) => id) as [number, number];
    const { hostKey } = pages[0]!;
    await store.settle([
      { id: own, changes: { stamp: 's', reason: GIVEN_UP } },
      { id: second, changes: { stamp: 's', ...other } },
    ]);
    const trouble = { id: own, hostKey, fault: 'redirect-target-failed' };
    const wait = { wait: 'awaiting-other-pages', until: after(clock.now(), hours(1)) };
    expect(await judge(GIVEN_UP, trouble)).toEqual(verdict === 'wait' ? wait : 'send');
    if (other.reason !== GIVEN_UP)
      expect(await judge(GIVEN_UP, { ...trouble, fault: 'read-timeout' }), 'another fault').toBe('send');
    expect(await judge(GIVEN_UP, { ...trouble, fault: undefined }), 'no visit').toBe('send');
    expect(await judge('http-404', trouble), 'its target is gone').toBe('send');
  });
});

describe('a page that fails although its host has given a sign of life', () => {
  async function withAnother(other: StateChanges) {
    const guard = await guardOf();
    const pages = await discovered(guard.store, newUrl(`http://${HOST}/1`), newUrl(`http://${HOST}/2`));
    const [own, second] = pages.map(({ id }) => id) as [number, number];
    await guard.store.settle([
      { id: own, changes: { stamp: 's', reason: GIVEN_UP } },
      { id: second, changes: { stamp: 's', ...other } },
    ]);
    return { ...guard, failed: { id: own, hostKey: pages[0]!.hostKey, fault: 'http-5xx' } };
  }

  it.each([
    ['fails alike', { reason: 'http-5xx' }, 'wait'],
    ['was given up', { reason: GIVEN_UP }, 'wait'],
    ['fails otherwise', { reason: 'read-timeout' }, 'send'],
    ['is well', { reason: 'indexed' }, 'send'],
    ['has no document', { reason: 'http-5xx', stamp: null }, 'send'],
  ] as const)('is deleted unless another page fails alike: the other one %s: %s', async (_, other, verdict) => {
    const { clock, judge, failed } = await withAnother(other);
    const wait = { wait: 'awaiting-other-pages', until: after(clock.now(), hours(1)) };
    for (const reason of [GIVEN_UP, 'http-5xx'] as const)
      expect(await judge(reason, failed)).toEqual(verdict === 'wait' ? wait : 'send');
    expect(await judge('http-404', failed), 'it is gone').toBe('send');
    expect(await judge(GIVEN_UP, { ...failed, fault: undefined }), 'no visit').toBe('send');
  });

  it('waits for a day at most, and for the sign first', async () => {
    const { clock, judge, failed, world } = await withAnother({ reason: 'http-5xx' });
    const since = (time: Duration) => ({ ...failed, waitingSince: before(clock.now(), time) });
    expect(await judge(GIVEN_UP, since(hours(23.9)))).toMatchObject({ wait: 'awaiting-other-pages' });
    expect(await judge(GIVEN_UP, since(hours(24)))).toBe('send');
    world.fault = WAIT;
    expect(await judge(GIVEN_UP, failed)).toBe(WAIT);
  });
});

describe('the limits', () => {
  it('count all deletions of a host within the window; what is beyond them is held', async () => {
    const { judge, countSent, clock } = await guardOf({ maxDeletions: 3, maxShare: 0, window: minutes(60) });
    expect(await countSent('noindex')).toEqual([3, 'hold']);
    expect(await judge('noindex', { hostKey: 'b.example' })).toBe('send');
    clock.advance(minutes(62));
    expect(await countSent('noindex')).toEqual([3, 'hold']);
  });

  it('are higher for a page with documents split off it', async () => {
    const { world, countSent } = await guardOf({ maxDeletions: 0, maxShare: 0.1 });
    world.indexed = 10;
    expect(await countSent('noindex', { partCount: 10 })).toEqual([2, 'hold']);
  });

  it.each([
    [50, 3],
    [51, 50],
    [1_000, 100],
  ])('a host of %d documents may lose %d to errors without a sign of life', async (indexed, count) => {
    const { world, countSent, clock } = await guardOf({ maxDeletions: 50, maxShare: 0.1, window: minutes(1) });
    let left = indexed;
    Object.defineProperty(world, 'indexed', {
      get: () => {
        clock.advance(minutes(2));
        return left--;
      },
    });
    expect(await countSent('http-5xx')).toEqual([count, 'hold']);
  });

  it('errors count from the last sign of life on, and pages that are gone do not', async () => {
    const { world, clock, judge, countSent } = await guardOf();
    world.indexed = 20;
    const since = clock.now();
    for (let n = 0; n < 3; n++) expect(await judge('http-5xx')).toBe('send');
    for (let n = 0; n < 3; n++) expect(await judge('http-410')).toBe('send');
    world.lastSign = before(since, minutes(1));
    expect(await judge('http-5xx', { hostKey: 'b.example' }), 'another host').toBe('send');
    clock.advance(minutes(1));
    world.lastSign = since;
    expect(await countSent('http-5xx')).toEqual([3, 'hold']);
  });

  it('a look that finds many others gone holds the deletion', async () => {
    const { world, judge } = await guardOf({}, [{ state: 'held' }]);
    world.gone = 'hold';
    expect(await judge('http-404')).toBe('hold');
  });
});

describe('once a deletion of a host is held', () => {
  it('all others are, until an operator has decided', async () => {
    const { store, judge, world } = await guardOf({ maxDeletions: 0, maxShare: 0 });
    expect(await judge('noindex')).toBe('hold');
    await store.settle([{ id: 0, orders: [order(1, { hostKey: HOST, kind: 'delete', state: 'held' })] }]);
    world.asked.length = 0;
    expect(await judge('http-404')).toBe('hold');
    expect(world.asked, 'nobody is asked about it').toEqual([]);
    await store.settle([{ id: 0, orders: [order(1, { hostKey: HOST, kind: 'delete', state: 'dropped' })] }]);
    await judge('http-404');
    expect(world.asked).toEqual(['look']);
  });

  it('this is known also after a restart, of as many as there are', async () => {
    const held = Array.from({ length: 1_001 }, (_, i) => ({
      ...{ state: 'held' as const, hostKey: i === 0 ? HOST : 'b.example' },
    }));
    const { judge } = await guardOf({}, held);
    expect(await judge('noindex')).toBe('hold');
    expect(await judge('noindex', { hostKey: 'b.example' })).toBe('hold');
    expect(await judge('noindex', { hostKey: 'c.example' })).toBe('send');
  });
});

describe('what was sent before a restart counts', () => {
  const limits = { maxDeletions: 3, maxShare: 0, window: hours(1) };
  const now = new ManualClock().now();
  const at = (age: Duration) => ({ decidedAt: before(now, age) });

  it.each<[string, Partial<LedgerEntry>, number]>([
    ['a deletion', {}, 1],
    ['a deletion almost an hour ago', at(minutes(59)), 1],
    ['a deletion more than an hour ago: not', at(minutes(61)), 3],
    ['a deletion on another host: not', { hostKey: 'b.example' }, 3],
    ['a deletion of a part, with its page: not', { reason: WITH_ITS_PAGE }, 3],
    ['a deletion that was not acknowledged: not', { state: 'cancelled' }, 3],
    ['an order that is no deletion: not', { kind: 'add' }, 3],
  ])('%s', async (_, entry, left) => {
    const { countSent } = await guardOf(limits, [entry, entry]);
    expect(await countSent('noindex')).toEqual([left, 'hold']);
  });

  it('of as many as there are, and after a take-over from another node', async () => {
    const entries = Array.from({ length: 1_002 }, (_, i) => ({ hostKey: i < 2 ? HOST : 'b.example' }));
    const { guard, countSent } = await guardOf(limits, entries);
    expect(await countSent('noindex')).toEqual([1, 'hold']);
    guard.reset();
    expect(await countSent('noindex'), 'what this node has sent is not in the ledger here').toEqual([1, 'hold']);
  });

  it('of another node, however many older ones of this node have higher ids', async () => {
    const own = Array.from({ length: 1_001 }, (_, i) => ({ id: 8 * ORDER_BLOCK_SIZE + i + 1, ...at(hours(2)) }));
    const others = [1, 2].map((i) => ({ id: 7 * ORDER_BLOCK_SIZE + i }));
    const { countSent } = await guardOf(limits, [...others, ...own]);
    expect(await countSent('noindex')).toEqual([1, 'hold']);
  });

  it('the ledger is read once, and again if that fails', async () => {
    const { world, judge, store } = await guardOf(limits, [{}, {}, {}]);
    world.failures = 1;
    await expect(judge('noindex')).rejects.toThrow('the store is busy');
    expect(await judge('noindex', { hostKey: 'c.example' })).toBe('send');
    await store.settle([{ id: 0, orders: [order(9, { hostKey: 'c.example', kind: 'delete', state: 'held' })] }]);
    expect(await judge('noindex', { hostKey: 'c.example' }), 'by another node').toBe('send');
  });
});
