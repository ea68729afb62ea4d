import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addOrder, deleteOrder } from '../../../test/support/push-orders.js';
import type { PushOrder } from '../../domain/push/order.js';
import { acknowledgeAll, groupByKind, sendByKind, sendWithSplitting } from './splitting.js';

const orders = fc.array(
  fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 })).map(([isAdd, page]): PushOrder => {
    const uri = `http://a/${page}`;
    return isAdd ? addOrder(uri) : deleteOrder(uri);
  }),
);

it('a batch of different documents is two requests, in whatever sequence its orders are', () => {
  const batch = Array.from({ length: 50 }, (_, i) =>
    i % 2 ? addOrder(`http://a/${i}`) : deleteOrder(`http://a/${i}`),
  );
  expect(groupByKind(batch).map((group) => [group.kind, group.orders.length])).toEqual([
    ['delete', 25],
    ['add', 25],
  ]);
  expect(groupByKind(['a', 'b', 'a', 'b'].map((host) => addOrder(`http://${host}/`)))).toHaveLength(2);
});

it('one order of a thousand that a sink refuses is found in twenty requests', async () => {
  let requests = 0;
  const batch = Array.from({ length: 1_000 }, (_, i) => addOrder(`http://a/${i}`));
  const answers = await sendWithSplitting(batch, async (part) => {
    requests++;
    return part.includes(batch[700]!) ? { refused: 'bad' } : acknowledgeAll(part);
  });
  expect(answers.flatMap(({ state }, i) => (state === 'refused' ? [i] : []))).toEqual([700]);
  expect(requests).toBeLessThanOrEqual(21);
});

it('the orders of each document keep their sequence, each order is sent once, and its answer is its own', async () => {
  await fc.assert(
    fc.asyncProperty(orders, async (batch) => {
      const sent: PushOrder[] = [];
      const answers = await sendByKind(batch, async (kind, part) => {
        expect(part.every((order) => order.kind === kind)).toBe(true);
        sent.push(...part);
        return part.map(({ id }) => ({ state: 'refused', message: String(id) }));
      });
      expect(answers).toEqual(batch.map(({ id }) => ({ state: 'refused', message: String(id) })));
      const idsOf = (list: readonly PushOrder[], wanted: string) =>
        list.filter(({ uri }) => uri === wanted).map(({ id }) => id);
      for (const { uri } of batch) expect(idsOf(sent, uri)).toEqual(idsOf(batch, uri));
      expect(sent).toHaveLength(batch.length);
    }),
  );
});
