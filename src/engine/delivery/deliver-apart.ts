import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';

/**
 * Delivers a batch. If the sink fails although it is available (for instance because a document becomes longer than a
 * string can be), an order of the batch is the reason: the two halves are delivered one after the other in the same way,
 * until that order is alone and counts as refused. One order must not hold up all others.
 * @throws SinkUnavailable
 */
export async function deliverApart(
  sink: Pick<Sink, 'deliver'>,
  batch: readonly PushOrder[],
  signal: AbortSignal,
): Promise<OrderAnswer[]> {
  try {
    return await sink.deliver(batch, signal);
  } catch (error) {
    if (error instanceof SinkUnavailable || signal.aborted) throw error;
    if (batch.length <= 1) return batch.map(() => ({ state: 'refused', message: describe(error), unsendable: true }));
    const middle = batch.length >> 1;
    const firstAnswers = await deliverApart(sink, batch.slice(0, middle), signal);
    const secondAnswers = await deliverApart(sink, batch.slice(middle), signal);
    return [...firstAnswers, ...secondAnswers];
  }
}

const MAX_MESSAGE_LENGTH = 1_000;

const describe = (error: unknown): string =>
  `the order cannot be sent: ${error instanceof Error ? error.message : String(error)}`.slice(0, MAX_MESSAGE_LENGTH);
