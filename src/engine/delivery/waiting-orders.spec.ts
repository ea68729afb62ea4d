import { expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import { WaitingOrders } from './waiting-orders.js';

it('orders that are taken are no longer counted, neither as orders nor as bytes', () => {
  const waiting = new WaitingOrders();
  waiting.add({ order: { kind: 'delete', uri: 'http://a/' } as never, since: instant(0), onAnswer: () => undefined });
  expect([waiting.count, waiting.bytes > 0]).toEqual([1, true]);
  const taken = waiting.takeAll();
  expect([waiting.count, waiting.bytes]).toEqual([0, 0]);
  waiting.addOlder(taken);
  expect([waiting.count, waiting.bytes]).toEqual([1, taken[0]!.bytes]);
});
