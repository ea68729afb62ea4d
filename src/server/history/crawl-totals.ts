import type { EngineMetrics } from '../../engine/crawl/engine-metrics.js';

type Counters = Pick<EngineMetrics, 'pages' | 'orders'>;
type Row = { readonly count: number };

/**
 * Merges the counters of all servers into totals that only grow, although servers come and go and each begins at zero.
 * Servers that were already running count from when they are first seen; this server ('') counts from its start.
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
  private readonly last = new Map<string, Map<string, number>>([['', new Map()]]);

  constructor(private readonly keyOf: (row: T) => string) {}

  get rows(): T[] {
    return [...this.sums.values()];
  }

  add(server: string, rows: readonly T[]): void {
    const before = this.last.get(server);
    this.last.set(server, new Map(rows.map((row) => [this.keyOf(row), row.count])));
    if (!before) return;
    for (const row of rows) {
      const key = this.keyOf(row);
      const grown = row.count - (before.get(key) ?? 0);
      this.sums.set(key, { ...row, count: (this.sums.get(key)?.count ?? 0) + grown });
    }
  }
}
