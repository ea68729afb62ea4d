import type { Dispatcher } from 'undici';
import type { Connection, ConnectionPool, PooledConnection } from './connection-pool.js';
import { type ConnectionAttempt, findTlsFault } from './connector.js';
import type { Deadlines } from './deadlines.js';
import { Exchange, type Settle, TOO_LATE_MESSAGE } from './exchange.js';
import { FetchFailure } from './fetch-failure.js';
import type { RequestPlan } from './request-plan.js';

/** An exchange on a pooled connection. */
export abstract class PooledExchange<C extends PooledConnection> extends Exchange {
  readonly reused: boolean;

  constructor(
    plan: RequestPlan,
    deadlines: Deadlines<Exchange>,
    settle: Settle,
    protected readonly pool: ConnectionPool<C>,
    protected readonly connection: C,
  ) {
    super(plan, deadlines, settle);
    this.reused = connection.servedCount > 0;
  }

  get address(): string {
    return this.connection.address;
  }

  protected get awaited(): ConnectionAttempt['phase'] {
    return this.connection.attempt?.phase ?? 'connection';
  }
}

/** An exchange on a pooled connection, read by undici's parser, which is fast and suffices for most servers. */
export class StrictExchange extends PooledExchange<Connection> implements Dispatcher.DispatchHandler {
  protected get bytesRead(): number {
    return this.connection.socket?.bytesRead ?? 0;
  }

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
