import type { Dispatcher } from 'undici';
import type { Connection, ConnectionPool } from './connection-pool.js';
import { tlsFaultOf } from './connector.js';
import type { Deadlines } from './deadlines.js';
import { Exchange, type Settle, TOO_LATE } from './exchange.js';
import { FetchFailure } from './fetch-failure.js';
import type { RequestPlan } from './request-plan.js';

/** An exchange on a pooled connection, read by undici's parser: the fast and usual way. */
export class StrictExchange extends Exchange implements Dispatcher.DispatchHandler {
  readonly reused: boolean;

  constructor(
    plan: RequestPlan,
    deadlines: Deadlines<Exchange>,
    settle: Settle,
    private readonly pool: ConnectionPool,
    private readonly connection: Connection,
  ) {
    super(plan, deadlines, settle);
    this.reused = connection.served > 0;
  }

  get address(): string {
    return this.connection.address;
  }

  protected get resolving(): boolean {
    return this.connection.attempt?.phase === 'name';
  }

  protected start(): void {
    const { method, path, headers, body } = this.plan;
    this.connection.client.dispatch({ method, path, headers, body }, this);
  }

  protected release(clean: boolean): void {
    if (clean) {
      this.connection.served++;
      this.pool.release(this.connection);
    } else {
      this.pool.discard(this.connection);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.tooLate) controller.abort(new FetchFailure('connection-failed', TOO_LATE));
    else this.requestSent();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.headerCame(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bodyCame(chunk);
  }

  onResponseEnd(): void {
    this.ended();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(tlsFaultOf(this.connection.socket) ?? error);
  }
}
