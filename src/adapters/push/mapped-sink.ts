import type { MapStep } from '../../domain/push/map-steps.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import type { Sink } from '../../engine/ports/sink.js';
import { mapDocument, UnmappableValue } from './map-document.js';

/**
 * Passes mapped documents to the sink. A document that cannot be mapped is refused; the others in its batch are
 * delivered. There is no `readDocuments`, because the sink holds mapped documents instead of the original ones.
 */
export class MappedSink implements Sink {
  readonly name: string;
  readonly listEntries: Sink['listEntries'];
  readonly probe: Sink['probe'];

  constructor(
    private readonly sink: Sink,
    private readonly steps: readonly MapStep[],
  ) {
    this.name = sink.name;
    this.listEntries = sink.listEntries && ((signal) => sink.listEntries!(signal));
    this.probe = sink.probe && ((signal) => sink.probe!(signal));
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    const results = batch.map((order) => this.mapOrder(order));
    const orders = results.filter((order) => 'id' in order);
    const answers = orders.length === 0 ? [] : await this.sink.deliver(orders, signal);
    let nextIndex = 0;
    return results.map((order) => ('id' in order ? answers[nextIndex++]! : order));
  }

  close(): Promise<void> {
    return this.sink.close();
  }

  private mapOrder(order: PushOrder): PushOrder | OrderAnswer {
    if (order.kind === 'delete') return order;
    try {
      return { ...order, document: mapDocument(order.document, this.steps) };
    } catch (error) {
      if (!(error instanceof UnmappableValue)) throw error;
      return { state: 'refused', message: `Map cannot be applied to ${order.uri}: ${error.message}` };
    }
  }
}
