/**
 * What sinks of a crawler are owed: orders that were put off because the sink was slow or down while another one had answered. It
 * is in the store, one row for each URI at each sink, written in the transaction that settles the URL. This module knows which
 * sinks may be owed anything at all, so that the others cost nothing.
 */
import type { PushOrder } from '../../../domain/push/order.js';
import type { OwedChange, OwedOrders } from '../../ports/owed-orders.js';

const keyOf = (crawler: string, sink: string): string => JSON.stringify([crawler, sink]);

export class Owing {
  /** Crawler and sink, with the number of times that something was put off. */
  private readonly known = new Map<string, number>();
  /** Called with each sink that is owed something. */
  onOwed: (crawler: string, sink: string) => void = () => undefined;

  constructor(private readonly store: Pick<OwedOrders, 'countOwed'>) {}

  /** Reads what an earlier process, or another node, has left behind. */
  async open(): Promise<void> {
    for (const { crawler, sink } of await this.store.countOwed()) this.note(crawler, sink);
  }

  /** To be called before and after a write that owes the sink something: a reader in between finds nothing. */
  note(crawler: string, sink: string): void {
    const key = keyOf(crawler, sink);
    this.known.set(key, (this.known.get(key) ?? 0) + 1);
    this.onOwed(crawler, sink);
  }

  /** Undefined: the sink is owed nothing. Otherwise a number that changes when something is put off. */
  markOf(crawler: string, sink: string): number | undefined {
    return this.known.get(keyOf(crawler, sink));
  }

  /** Nothing was found that the sink is owed; false: something was put off since the mark was taken. */
  isClear(crawler: string, sink: string, mark: number): boolean {
    const key = keyOf(crawler, sink);
    if (this.known.get(key) !== mark) return false;
    this.known.delete(key);
    return true;
  }

  listSinks(): { readonly crawler: string; readonly sink: string }[] {
    return [...this.known.keys()].map((key) => {
      const [crawler, sink] = JSON.parse(key) as [string, string];
      return { crawler, sink };
    });
  }

  /** What the fate of an order means for its sinks; to be written with the settlement. */
  decideChanges(order: PushOrder, sinks: readonly string[], putOff: readonly string[]): OwedChange[] {
    const { crawler, uri, hostKey, id: orderId, decidedAt: since } = order;
    const changes: OwedChange[] = [];
    for (const sink of sinks) {
      const isPutOff = putOff.includes(sink);
      if (isPutOff) this.note(crawler, sink);
      if (isPutOff || this.markOf(crawler, sink) !== undefined)
        changes.push({ change: isPutOff ? 'put off' : 'delivered', crawler, sink, uri, hostKey, orderId, since });
    }
    return changes;
  }

  noteWritten(changes: readonly OwedChange[]): void {
    for (const { change, crawler, sink } of changes) if (change === 'put off') this.note(crawler, sink);
  }
}
