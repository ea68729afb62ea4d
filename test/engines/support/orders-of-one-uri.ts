import { expect } from 'vitest';
import type { Sink } from '../../../src/engine/ports/sink.js';
import { addOrder, deleteOrder, heldBy, stillWanted } from '../../support/push-orders.js';

/** They are carried out as they were decided, and repeats do no harm. */
export async function takesOrdersOfOneUri(sink: Sink & Parameters<typeof heldBy>[0]): Promise<void> {
  const orders = [
    addOrder('http://site.test/a', { stamp: 'old' }),
    deleteOrder('http://site.test/a'),
    addOrder('http://site.test/a', { stamp: 'new' }),
    addOrder('http://site.test/b'),
    deleteOrder('http://site.test/b'),
    deleteOrder('http://site.test/never'),
  ];
  for (let round = 0; round < 2; round++) {
    const answers = await sink.deliver(orders, stillWanted());
    expect(new Set(answers.map(({ state }) => state))).toEqual(new Set(['acknowledged']));
  }
  expect(await heldBy(sink)).toEqual(['http://site.test/a new']);
}
