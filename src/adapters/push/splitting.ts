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

export interface KindGroup {
  readonly kind: OrderKind;
  readonly orders: PushOrder[];
}

/**
 * Groups orders for sinks that accept only one kind per request: two groups for any batch in which no URI occurs twice.
 * The groups keep the sequence of the orders for each URI.
 */
export function groupByKind(batch: readonly PushOrder[]): KindGroup[] {
  const groups: KindGroup[] = [];
  let openGroups = new Map<OrderKind, KindGroup>();
  let uris = new Set<string>();
  for (const order of batch) {
    if (uris.has(order.uri)) {
      openGroups = new Map();
      uris = new Set();
    }
    uris.add(order.uri);
    let group = openGroups.get(order.kind);
    if (!group) {
      group = { kind: order.kind, orders: [] };
      openGroups.set(order.kind, group);
      groups.push(group);
    }
    group.orders.push(order);
  }
  return groups;
}

/** Sends each group of orders of one kind; returns the answers in the sequence of the batch. */
export async function sendByKind(
  batch: readonly PushOrder[],
  send: (kind: OrderKind, orders: readonly PushOrder[]) => Promise<RequestAnswer>,
): Promise<OrderAnswer[]> {
  const answers = new Map<PushOrder, OrderAnswer>();
  for (const { kind, orders } of groupByKind(batch)) {
    const groupAnswers = await sendWithSplitting(orders, (part) => send(kind, part));
    orders.forEach((order, i) => void answers.set(order, groupAnswers[i]!));
  }
  return batch.map((order) => answers.get(order)!);
}

const ACKNOWLEDGED: OrderAnswer = { state: 'acknowledged' };

export const acknowledgeAll = (orders: readonly PushOrder[]): OrderAnswer[] => orders.map(() => ACKNOWLEDGED);
