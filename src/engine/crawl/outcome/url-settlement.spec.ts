import { expect, it, onTestFinished } from 'vitest';
import { discovered, newUrl } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { pushDocument } from '../../../../test/support/push-orders.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import type { HeldChange } from '../../../domain/crawl/change-guard.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { OrderAnswer, PushOrder } from '../../../domain/push/order.js';
import { after, days, hours, minutes } from '../../../domain/time/units.js';
import type { CrawlEvent } from '../../events.js';
import { CrawlEvents } from '../../support/crawl-events.js';
import { SOLE_OWNER } from '../../support/single-node.js';
import type { Decision, Settled } from './decision.js';
import type { Deletions, GuardVerdict } from './deletions.js';
import { InDoubtDeliveries } from './in-doubt-deliveries.js';
import { Ledger } from './ledger.js';
import { Owing } from './owing.js';
import { UrlSettlement } from './url-settlement.js';

const EMPTIED: HeldChange = { cause: 'emptied', kind: 'delete', identity: 'empty' };

/** An indexed page of one sink; the guard's verdict, the sink's answer and the owner of the host can be chosen. */
async function indexedPage() {
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const [{ id }] = (await discovered(store, newUrl('http://a.example/x'))) as [UrlState];
  const indexed = { status: 'indexed', reason: 'indexed', stamp: 's', etag: '"1"', lastVisitAt: clock.now() } as const;
  await store.settle([{ id, changes: indexed }]);

  const sent: PushOrder[] = [];
  const listed: string[] = [];
  const world = {
    verdict: 'send' as GuardVerdict,
    answer: { state: 'acknowledged' } as OrderAnswer,
    written: 'written' as Settled,
    errorsAtSending: -1,
  };
  const ledger = new Ledger(store, clock);
  await ledger.open();
  const events = new CrawlEvents(clock);
  events.tap((event: CrawlEvent) => {
    if (event.type === 'order') listed.push(`${event.state} ${event.reason}`);
  });
  const services = {
    ...{ store, clock, ledger, events },
    inDoubt: new InDoubtDeliveries(store, clock),
    owing: new Owing(store),
    tracing: { recordOrder: () => undefined },
    shared: { notifyOtherOwners: async () => async () => undefined },
    settler: {
      add: async (settlement: Parameters<typeof store.settle>[0][number]) => {
        if (world.written === 'written') await store.settle([settlement]);
        return world.written;
      },
    },
    delivery: {
      deliver: async (order: PushOrder) => {
        sent.push(order);
        world.errorsAtSending = (await getState()).temporaryErrors;
        return { answer: world.answer, attempts: 1, partiallyAccepted: false, putOff: [] };
      },
    },
  } as unknown as ConstructorParameters<typeof UrlSettlement>[0];
  const settings = {
    sinks: ['main'],
    getCurrentSinks: () => ['main'],
    tally: { countOrder: () => undefined },
    maximumAge: days(7),
  };
  const deletions = { judge: async () => world.verdict } as unknown as Deletions;
  const settlement = new UrlSettlement(services, deletions, settings);

  const getState = async (): Promise<UrlState> => (await store.get([id]))[0]!;
  const settle = async (decision: Omit<Decision, 'state' | 'fence'>) =>
    settlement.settle({ state: await getState(), fence: SOLE_OWNER.findFence('a.example')!, ...decision });
  const fail = (reason: Reason, decision: Partial<Decision> = {}) => {
    const changes = { status: 'error', reason, stamp: null, lastVisitAt: clock.now() } as const;
    const order = { kind: 'delete', reason } as const;
    return settle({
      disposition: { remove: false, changed: true, changes, order },
      startedAt: clock.now(),
      ...decision,
    });
  };
  const hold = (heldChange: HeldChange) => {
    const changes = { status: 'error', reason: heldChange.cause, lastVisitAt: clock.now() } as const;
    return settle({ disposition: { remove: false, changed: false, changes }, heldChange, startedAt: clock.now() });
  };
  const drop = async () => {
    const [order] = await store.listOrders({ crawler: 'docs', state: 'awaiting' }, undefined, 1);
    const cancellation = { order: order!, reason: 'dropped', state: 'dropped' } as const;
    return settle({ disposition: { remove: false, changed: false, changes: {} }, cancellation });
  };
  const respond = () => {
    const changes = { status: 'indexed', reason: 'indexed', lastVisitAt: clock.now() } as const;
    return settle({ disposition: { remove: false, changed: false, changes }, startedAt: clock.now() });
  };
  /** The entries of the ledger, the first one first. */
  const readLedger = async () => {
    const entries = await store.listOrders({ crawler: 'docs' }, undefined, 100);
    return entries.map(({ state, reason, answer }) => [state, reason, ...(answer ? [answer] : [])]).reverse();
  };
  const waitFor = (wait: 'awaiting-sign-of-life' | 'awaiting-early-look') => {
    world.verdict = { wait, until: after(clock.now(), hours(1)) };
  };
  return { world, clock, sent, listed, getState, settle, fail, hold, drop, respond, readLedger, waitFor };
}

it('a deletion that waits is one entry of the ledger, which is listed again only when it waits for another reason', async () => {
  const { clock, listed, getState, fail, readLedger, waitFor, sent } = await indexedPage();
  waitFor('awaiting-sign-of-life');
  await fail('http-5xx');
  clock.advance(minutes(1));
  await fail('http-5xx');
  expect(listed).toEqual(['awaiting http-5xx']);
  await fail('read-timeout');
  expect(listed).toEqual(['awaiting http-5xx', 'awaiting read-timeout']);
  expect(await readLedger()).toEqual([['awaiting', 'read-timeout', 'awaiting-sign-of-life']]);
  expect(await getState()).toMatchObject({ stamp: 's', pendingDeletion: 'read-timeout', etag: undefined });
  expect(sent).toEqual([]);
});

it('a page that is gone waits for itself, and not in the place of a deletion because of a fault', async () => {
  const { fail, readLedger, waitFor } = await indexedPage();
  waitFor('awaiting-sign-of-life');
  await fail('http-5xx');
  waitFor('awaiting-early-look');
  await fail('http-404');
  expect(await readLedger()).toEqual([
    ['cancelled', 'http-5xx', 'the document is to be deleted for a different reason'],
    ['awaiting', 'http-404', 'awaiting-early-look'],
  ]);
});

it.each([
  ['is gone', 'http-404', 'awaiting-early-look'],
  ['fails', 'http-5xx', 'awaiting-sign-of-life'],
] as const)(
  'the deletion of a page that %s does not continue a change that the change guard holds',
  async (_, code, wait) => {
    const { hold, fail, readLedger, waitFor } = await indexedPage();
    await hold(EMPTIED);
    waitFor(wait);
    await fail(code);
    expect(await readLedger()).toEqual([
      ['cancelled', 'emptied', 'the document is to be deleted for a different reason'],
      ['awaiting', code, wait],
    ]);
  },
);

it('a held deletion is one entry, whatever the page says until an operator decides', async () => {
  const { world, fail, readLedger, listed, getState, sent } = await indexedPage();
  world.verdict = 'hold';
  await fail('http-404');
  await fail('http-5xx');
  expect(await readLedger()).toEqual([['held', 'http-404']]);
  expect(listed).toEqual(['held http-404']);
  expect(await getState()).toMatchObject({ stamp: 's', status: 'error', pendingDeletion: 'http-5xx' });
  await fail('cleared-by-person', { byOperator: true });
  expect(sent).toMatchObject([{ kind: 'delete', reason: 'cleared-by-person' }]);
});

it('a change that a person has dropped is not listed again, unless the page has said something else since', async () => {
  const { hold, drop, listed } = await indexedPage();
  await hold(EMPTIED);
  await drop();
  await hold(EMPTIED);
  expect(listed).toEqual(['awaiting emptied']);
  await hold({ cause: 'directive-wave', kind: 'delete', identity: 'noindex/' });
  await hold(EMPTIED);
  expect(listed).toEqual(['awaiting emptied', 'awaiting directive-wave', 'awaiting emptied']);
});

it('errors before a response are forgotten before its document is sent, which may take hours', async () => {
  const { world, settle } = await indexedPage();
  await settle({ disposition: { remove: false, changed: false, changes: { temporaryErrors: 3 } } });
  const order = { kind: 'add', reason: 'changed' } as const;
  const disposition = { remove: false, changed: true, changes: { stamp: 't', temporaryErrors: 0 }, order };
  await settle({ disposition, document: pushDocument('http://a.example/x') });
  expect(world.errorsAtSending).toBe(0);
});

it('a deletion that waits ends when the page responds again', async () => {
  const { fail, respond, readLedger, waitFor, getState } = await indexedPage();
  waitFor('awaiting-sign-of-life');
  await fail('http-5xx');
  await respond();
  expect(await readLedger()).toEqual([['cancelled', 'http-5xx', 'the page responds again']]);
  expect(await getState()).toMatchObject({ status: 'indexed', pendingDeletion: undefined });
});

it('a deletion that has waited is sent as a new order, which replaces it', async () => {
  const { world, fail, readLedger, waitFor, getState, sent } = await indexedPage();
  waitFor('awaiting-sign-of-life');
  await fail('http-5xx');
  world.verdict = 'send';
  await fail('http-5xx');
  expect(await readLedger()).toEqual([
    ['cancelled', 'http-5xx', `sent as order ${sent[0]!.id}`],
    ['acknowledged', 'http-5xx'],
  ]);
  expect(await getState()).toMatchObject({ stamp: undefined, pendingDeletion: undefined });
});

it('a deletion that is sent ends others of the page, which waited for something else', async () => {
  const { world, fail, readLedger, waitFor } = await indexedPage();
  waitFor('awaiting-sign-of-life');
  await fail('http-5xx');
  world.verdict = 'send';
  await fail('http-404');
  expect(await readLedger()).toEqual([
    ['cancelled', 'http-5xx', 'the document was deleted for a different reason'],
    ['acknowledged', 'http-404'],
  ]);
});

it('a URL that leaves the store with its document is known no more', async () => {
  const { fail, getState } = await indexedPage();
  const disposition = {
    remove: true,
    changed: true,
    changes: {},
    order: { kind: 'delete', reason: 'http-404' },
  } as const;
  expect(await fail('http-404', { disposition })).toEqual({ removed: true, simhash: null, document: null });
  expect(await getState()).toBeUndefined();
});

it('if the sinks refuse a deletion, the document is still in the index, and its page is read in full', async () => {
  const { world, fail, getState, sent } = await indexedPage();
  world.answer = { state: 'refused', message: 'read-only' };
  await fail('http-404');
  expect(sent).toHaveLength(1);
  expect(await getState()).toMatchObject({ stamp: 's', status: 'error', reason: 'http-404', etag: undefined });
});

it('after a handover during a delivery, the new owner must check the document only if an order was sent', async () => {
  const { world, fail, waitFor } = await indexedPage();
  world.written = 'fenced out';
  await expect(fail('http-404')).rejects.toMatchObject({ name: 'FencedOut', uncertain: true });
  waitFor('awaiting-sign-of-life');
  await expect(fail('http-5xx')).rejects.toMatchObject({ name: 'FencedOut', uncertain: false });
});
