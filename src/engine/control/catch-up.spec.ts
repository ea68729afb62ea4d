import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import { minutes, seconds } from '../../domain/time/units.js';
import type { OwedOrder } from '../ports/owed-orders.js';
import { CatchUp } from './catch-up.js';

/** A sink that is owed documents which no other sink returns: how many visits are requested for them until it pauses. */
async function countVisitsRequested(owed: number, visitsAskedFor: number, age = seconds(0)): Promise<number> {
  const clock = new ManualClock();
  const started = clock.now();
  clock.advance(age);
  const rows = Array.from(
    { length: owed + visitsAskedFor },
    (_, i): { -readonly [Key in keyof OwedOrder]: OwedOrder[Key] } => {
      const uri = `http://a.example/${i}`;
      const order = { crawler: 'docs', sink: 'main', uri, hostKey: 'a.example', orderId: i + 1, since: started };
      return i < visitsAskedFor ? { ...order, askedAt: started } : order;
    },
  );
  const crawler = {
    name: 'docs',
    context: { definition: { pushTo: ['main'] } },
    runWhileHeld: async (page: unknown, work: (page: unknown, fence: object) => Promise<unknown>) => {
      if ((await work(page, {})) !== undefined) madeDue++;
    },
  };
  let requested = 0;
  let madeDue = 0;
  const services = {
    clock,
    log: { warn: () => undefined, error: () => undefined },
    owing: { getMark: () => 1, listSinks: () => [{ crawler: 'docs', sink: 'main' }] },
    crawlers: { findStored: () => crawler },
    store: {
      listOwed: async (_: string, __: string, after: number) => rows.filter(({ orderId }) => orderId > after),
      find: async (_: string, url: string) => state({ url, stamp: 's' }),
    },
    partitions: { isLeader: true },
    delivery: { listViews: () => [{ name: 'main', state: 'ready' }], getRemainingCapacity: () => 1_000 },
    inDoubt: { applyDoubt: (page: unknown) => page },
    findSink: () => undefined,
    sending: {
      requestVisit: async (order: (typeof rows)[number]) => {
        requested++;
        order.askedAt = clock.now();
        return 'asked';
      },
    },
  };
  const catchUp = new CatchUp(services as never);
  onTestFinished(() => catchUp.stopAll());
  catchUp.startAll();
  clock.advance(seconds(10));
  // It works without a pause until nothing more can be requested.
  while (clock.nextTimer === undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(madeDue).toBe(requested);
  return requested;
}

it.each([
  ['no more than 100 visits are requested at once', 150, 0, seconds(0), 100],
  ['visits that are due already count', 150, 60, seconds(0), 40],
  ['no visit is requested while 100 are due', 150, 100, seconds(0), 0],
  ['visits that are not made within ten minutes hold up no others', 150, 100, minutes(10), 100],
])('for a sink that missed documents, %s', async (_, owed, asked, age, requested) => {
  expect(await countVisitsRequested(owed, asked, age)).toBe(requested);
});

it('nothing is sent after the end, whatever comes to be owed', async () => {
  const clock = new ManualClock();
  let rounds = 0;
  const owing: Record<string, unknown> = { getMark: () => void rounds++, listSinks: () => [] };
  const catchUp = new CatchUp({ clock, owing, crawlers: { findStored: () => ({}) } } as never);
  const owe = async (): Promise<void> => {
    (owing['onOwed'] as (crawler: string, sink: string) => void)('docs', 'main');
    await clock.pass(minutes(1));
  };
  await owe();
  expect(rounds).toBe(1);
  catchUp.stopAll();
  await owe();
  expect(rounds).toBe(1);
});

it.each([
  ['half of the room that it has', 'ready', 21, 10],
  ['100 orders', 'ready', 1_000, 100],
  ['one order while it is down', 'unavailable', 1_000, 1],
])('a sink that missed documents gets at most %s at once', async (_, sinkState, room, expected) => {
  const clock = new ManualClock();
  const owed = Array.from({ length: 150 }, (_, i) => ({ orderId: i + 1, uri: `http://a.example/${i}`, hostKey: 'a' }));
  const answers: (() => void)[] = [];
  const services = {
    clock,
    owing: { getMark: () => 1, listSinks: () => [{ crawler: 'docs', sink: 'main' }] },
    crawlers: { findStored: () => ({ name: 'docs', context: { definition: { pushTo: ['main'] } } }) },
    store: {
      listOwed: async (_: string, __: string, after: number) => owed.filter(({ orderId }) => orderId > after),
      find: async () => undefined,
    },
    partitions: { isLeader: true, findFence: () => ({}) },
    delivery: { listViews: () => [{ name: 'main', state: sinkState }], getRemainingCapacity: () => room },
    shared: { notifyOtherOwners: async () => async () => undefined },
    findSink: () => undefined,
    sending: { sendDeletion: () => new Promise<void>((resolve) => answers.push(resolve)) },
  };
  const catchUp = new CatchUp(services as never);
  onTestFinished(() => catchUp.stopAll());
  catchUp.startAll();
  await clock.pass(seconds(20));
  expect(answers).toHaveLength(expected);
});
