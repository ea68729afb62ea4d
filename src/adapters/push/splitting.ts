import type { OrderAnswer, OrderKind, PushOrder } from '../../domain/push/order.js';

/** One answer per order, in the same sequence, or one refusal of the whole request with the sink's message. */
export type RequestAnswer = readonly OrderAnswer[] | { readonly refused: string };

/**
 * Sends orders. If the sink refuses them as a whole, the two halves are sent one after the other in the same way, until
 * each offending order is sent alone and refused with the sink's message.
 */
export async function sendWithSplitting(
  orders: readonly PushOrder[],
  send: (orders: readonly PushOrder[]) => Promise<RequestAnswer>,
): Promise<OrderAnswer[]> {
  const answer = await send(orders);
  if (!('refused' in answer)) return [...answer];
  if (orders.length <= 1) return orders.map(() => ({ state: 'refused', message: answer.refused }));
  const middle = orders.length >> 1;
  const firstAnswers = await sendWithSplitting(orders.slice(0, middle), send);
  const secondAnswers = await sendWithSplitting(orders.slice(middle), send);
  return [...firstAnswers, ...secondAnswers];
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
