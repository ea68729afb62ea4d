import type { Dispatcher } from 'undici';
import type { Connection } from './connection-pool.js';
import { findTlsFault } from './connector.js';
import { TOO_LATE_MESSAGE } from './exchange.js';
import { FetchFailure } from './fetch-failure.js';
import { PooledExchange } from './pooled-exchange.js';

/** An exchange on a pooled connection, read by undici's parser, which is fast and suffices for most servers. */
export class StrictExchange extends PooledExchange<Connection> implements Dispatcher.DispatchHandler {
  protected start(): void {
    const { method, path, headers, body } = this.plan;
    this.connection.client.dispatch({ method, path, headers, body }, this);
  }

  protected release(clean: boolean): void {
    if (clean) {
      this.connection.servedCount++;
      this.pool.release(this.connection);
    } else {
      this.pool.discard(this.connection);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isTooLate) controller.abort(new FetchFailure('connection-failed', TOO_LATE_MESSAGE));
    else this.onSent();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.onHeader(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.onBody(chunk);
  }

  onResponseEnd(): void {
    this.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(findTlsFault(this.connection.socket) ?? error);
  }
}
