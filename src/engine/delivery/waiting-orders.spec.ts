import { expect, it } from 'vitest';
import { type Duration, instant, seconds } from '../../domain/time/units.js';
import { NO_LONGER_WANTED, PUT_OFF, WaitingOrders, WITHDRAWN } from './waiting-orders.js';

it('orders that are taken are no longer counted, neither as orders nor as bytes', () => {
  const waiting = new WaitingOrders();
  waiting.add({ order: { kind: 'delete', uri: 'http://a/' } as never, since: instant(0), onAnswer: () => undefined });
  expect([waiting.count, waiting.bytes > 0]).toEqual([1, true]);
  const taken = waiting.takeAll();
  expect([waiting.count, waiting.bytes]).toEqual([0, 0]);
  waiting.addOlder(taken);
  expect([waiting.count, waiting.bytes]).toEqual([1, taken[0]!.bytes]);
});

it('an order whose host moved to another node, or whose sink is not wanted any more, is answered and not sent', () => {
  const waiting = new WaitingOrders();
  const answers: unknown[] = [];
  const add = (uri: string, checks: { maySend?: () => boolean; isWanted?: () => boolean }) =>
    waiting.add({
      order: { kind: 'delete', uri } as never,
      since: instant(0),
      onAnswer: (answer) => answers.push([uri, answer]),
      ...checks,
    });
  add('moved', { maySend: () => false, isWanted: () => true });
  add('unwanted', { maySend: () => true, isWanted: () => false });
  add('fine', { maySend: () => true, isWanted: () => true });
  add('always', {});
  const batch = waiting.takeBatch(10, 1_000_000, new Set());
  expect(batch.map(({ order }) => order.uri)).toEqual(['fine', 'always']);
  expect(answers).toEqual([
    ['moved', WITHDRAWN],
    ['unwanted', NO_LONGER_WANTED],
  ]);
  expect([waiting.count, waiting.bytes]).toEqual([0, 0]);
});

it('a batch holds one order of each URI, the oldest, and none of a URI in flight', () => {
  const waiting = new WaitingOrders();
  const add = (kind: string, uri: string) =>
    waiting.add({ order: { kind, uri } as never, since: instant(0), onAnswer: () => undefined });
  for (const uri of ['a', 'b', 'a', 'c', 'd']) add('delete', uri);
  const inFlight = new Set(['b']);
  const take = (orders: number, bytes: number) =>
    waiting.takeBatch(orders, bytes, inFlight).map(({ order }) => order.uri);
  expect(take(2, 10_000)).toEqual(['a', 'c']);
  expect([...inFlight]).toEqual(['b', 'a', 'c']);
  expect([take(2, 10_000), waiting.count]).toEqual([['d'], 2]);
  inFlight.clear();
  expect([take(2, 1), take(2, 10_000)]).toEqual([['b'], ['a']]);
});

it('an order is put off after a minute, wherever it stands: one that was tried stands behind newer ones', () => {
  const waiting = new WaitingOrders();
  const answers: unknown[] = [];
  const add = (uri: string, since: Duration) =>
    waiting.add({
      order: { kind: 'delete', uri } as never,
      since: instant(since),
      onAnswer: (answer) => answers.push([uri, answer]),
      mayPutOff: () => true,
    });
  add('tried', seconds(0));
  const tried = waiting.takeBatch(1, 1_000, new Set());
  for (const order of tried) order.attempts++;
  add('newer', seconds(30));
  waiting.addOlder(tried);
  waiting.putLeastTriedFirst();
  waiting.putOffLate(instant(seconds(60)));
  expect([answers, waiting.count]).toEqual([[['tried', PUT_OFF]], 1]);
});
