/**
 * Keeps track of the sinks that are owed orders, which were put off because the sink was slow or down while another one
 * had answered. The store has one row for each URI at each sink, written in the transaction that settles the URL. This
 * module knows which sinks may be owed anything at all, so that the others cause no work.
 */
import type { PushOrder } from '../../../domain/push/order.js';
import type { OwedChange, OwedOrders } from '../../ports/owed-orders.js';

const toKey = (crawler: string, sink: string): string => JSON.stringify([crawler, sink]);

export class Owing {
  /** By crawler and sink: how many times an order was put off. */
  private readonly putOffCounts = new Map<string, number>();
  /** Called with each sink that is owed something. */
  onOwed: (crawler: string, sink: string) => void = () => undefined;

  constructor(private readonly store: Pick<OwedOrders, 'countOwed'>) {}

  /** Reads what an earlier process or another node has left behind. */
  async open(): Promise<void> {
    for (const { crawler, sink } of await this.store.countOwed()) this.noteOwed(crawler, sink);
  }

  /** To be called before and after a write that records a put-off order, because a reader in between finds nothing. */
  noteOwed(crawler: string, sink: string): void {
    const key = toKey(crawler, sink);
    this.putOffCounts.set(key, (this.putOffCounts.get(key) ?? 0) + 1);
    this.onOwed(crawler, sink);
  }

  /** Returns a number that changes whenever an order is put off; undefined if the sink is owed nothing. */
  getMark(crawler: string, sink: string): number | undefined {
    return this.putOffCounts.get(toKey(crawler, sink));
  }

  /**
   * To be called when nothing owed to the sink was found. Returns false if an order has been put off since the mark was
   * taken.
   */
  clearIfUnchanged(crawler: string, sink: string, mark: number): boolean {
    const key = toKey(crawler, sink);
    if (this.putOffCounts.get(key) !== mark) return false;
    this.putOffCounts.delete(key);
    return true;
  }

  listSinks(): { readonly crawler: string; readonly sink: string }[] {
    return [...this.putOffCounts.keys()].map((key) => {
      const [crawler, sink] = JSON.parse(key) as [string, string];
      return { crawler, sink };
    });
  }

  /**
   * Determines how the outcome of an order changes what its sinks are owed; the changes are written with the
   * settlement.
   */
  decideChanges(order: PushOrder, sinks: readonly string[], putOff: readonly string[]): OwedChange[] {
    const { crawler, uri, hostKey, id: orderId, decidedAt: since } = order;
    const changes: OwedChange[] = [];
    for (const sink of sinks) {
      const isPutOff = putOff.includes(sink);
      if (isPutOff) this.noteOwed(crawler, sink);
      if (isPutOff || this.getMark(crawler, sink) !== undefined)
        changes.push({ change: isPutOff ? 'put off' : 'delivered', crawler, sink, uri, hostKey, orderId, since });
    }
    return changes;
  }

  noteWritten(changes: readonly OwedChange[]): void {
    for (const { change, crawler, sink } of changes) if (change === 'put off') this.noteOwed(crawler, sink);
  }
}
