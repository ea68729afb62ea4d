/**
 * A queue that serves several customers in turn, however many items each of them has waiting: one with a single item
 * waits for at most one item of each other.
 */
export class Turns<T> {
  /** Items by customer; the first customer is the next one. */
  private readonly waiting = new Map<string, T[]>();

  push(customer: string, item: T): void {
    const items = this.waiting.get(customer);
    if (items) items.push(item);
    else this.waiting.set(customer, [item]);
  }

  shift(): T | undefined {
    for (const [customer, items] of this.waiting) {
      const item = items.shift();
      this.waiting.delete(customer);
      if (items.length > 0) this.waiting.set(customer, items);
      return item;
    }
    return undefined;
  }
}
