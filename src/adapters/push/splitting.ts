import type { OrderAnswer, OrderKind, PushOrder } from '../../domain/push/order.js';

/** One answer per order, in the same order, or one refusal of the whole request with the sink's message. */
export type RequestAnswer = readonly OrderAnswer[] | { readonly refused: string };

/**
 * Sends orders. As long as the sink refuses them as a whole, each half is sent separately, the first half first, until
 * the offending order is alone and is refused with the sink's message.
 */
export async function sendWithSplitting(
  orders: readonly PushOrder[],
  send: (orders: readonly PushOrder[]) => Promise<RequestAnswer>,
): Promise<OrderAnswer[]> {
  const answer = await send(orders);
  if (!('refused' in answer)) return [...answer];
  if (orders.length <= 1) return orders.map(() => ({ state: 'refused', message: answer.refused }));
  const middle = orders.length >> 1;
  const first = await sendWithSplitting(orders.slice(0, middle), send);
  const second = await sendWithSplitting(orders.slice(middle), send);
  return [...first, ...second];
}

/** Groups consecutive orders of one kind, for sinks that accept only one kind per request. */
export function groupRunsByKind(batch: readonly PushOrder[]): { kind: OrderKind; orders: PushOrder[] }[] {
  const runs: { kind: OrderKind; orders: PushOrder[] }[] = [];
  for (const order of batch) {
    const run = runs.at(-1);
    if (run?.kind === order.kind) run.orders.push(order);
    else runs.push({ kind: order.kind, orders: [order] });
  }
  return runs;
}

const ACKNOWLEDGED: OrderAnswer = { state: 'acknowledged' };

export const acknowledgeAll = (orders: readonly PushOrder[]): OrderAnswer[] => orders.map(() => ACKNOWLEDGED);
