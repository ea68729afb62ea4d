import type { ConnectionPool, PooledConnection } from './connection-pool.js';
import type { Deadlines } from './deadlines.js';
import { Exchange, type Settle } from './exchange.js';
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

  protected get isResolving(): boolean {
    return this.connection.attempt?.phase === 'name';
  }
}
