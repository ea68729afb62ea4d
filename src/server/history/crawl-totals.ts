import type { EngineMetrics } from '../../engine/crawl/load/metrics.js';

type Counters = Pick<EngineMetrics, 'pages' | 'orders'>;
type Row = { readonly count: number };

/**
 * Merges the counters of all servers into totals that only grow, although servers come and go and each begins at zero.
 * A server that was already running is counted from when it is first seen; this server ('') from its start.
 */
export class CrawlTotals {
  private readonly pages = new GrowingTotals<Counters['pages'][number]>(
    ({ crawler, outcome }) => `${crawler} ${outcome}`,
  );
  private readonly orders = new GrowingTotals<Counters['orders'][number]>(
    ({ crawler, kind, state }) => `${crawler} ${kind} ${state}`,
  );

  add(counters: ReadonlyMap<string, Counters>): Counters {
    for (const [server, { pages, orders }] of counters) {
      this.pages.add(server, pages);
      this.orders.add(server, orders);
    }
    return { pages: this.pages.rows, orders: this.orders.rows };
  }
}

class GrowingTotals<T extends Row> {
  private readonly sums = new Map<string, T>();
  private readonly lastCounts = new Map<string, Map<string, number>>([['', new Map()]]);

  constructor(private readonly getKey: (row: T) => string) {}

  get rows(): T[] {
    return [...this.sums.values()];
  }

  add(server: string, rows: readonly T[]): void {
    const previousCounts = this.lastCounts.get(server);
    this.lastCounts.set(server, new Map(rows.map((row) => [this.getKey(row), row.count])));
    if (!previousCounts) return;
    for (const row of rows) {
      const key = this.getKey(row);
      const increase = row.count - (previousCounts.get(key) ?? 0);
      this.sums.set(key, { ...row, count: (this.sums.get(key)?.count ?? 0) + increase });
    }
  }
}
