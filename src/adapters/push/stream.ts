import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { toOrderRecord } from './order-record.js';
import { acknowledgeAll } from './splitting.js';

/**
 * Writes orders as JSON lines to a stream, for a crawl whose output is piped to another program. A slow reader slows
 * down the deliveries.
 */
export class StreamSink implements Sink {
  constructor(
    readonly name: string,
    private readonly stream: Writable,
  ) {}

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    for (const order of batch) {
      if (this.stream.destroyed) throw new SinkUnavailable('the output is closed: no program reads it any longer');
      if (!this.stream.write(`${JSON.stringify(toOrderRecord(order))}\n`)) await once(this.stream, 'drain', { signal });
    }
    return acknowledgeAll(batch);
  }

  async close(): Promise<void> {}
}
