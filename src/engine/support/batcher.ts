/**
 * Collects items while a call is in flight and passes them on together when it has ended: batches grow with the load,
 * and a lone item does not wait. Results arrive in the order in which items were added.
 */
export class Batcher<T, R> {
  private waiting: { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }[] = [];
  private running = false;

  constructor(
    private readonly call: (items: T[]) => Promise<readonly R[]>,
    private readonly maxItems: number,
  ) {}

  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) {
        this.running = true;
        queueMicrotask(() => void this.run());
      }
    });
  }

  get size(): number {
    return this.waiting.length;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.maxItems);
      try {
        const results = await this.call(batch.map((entry) => entry.item));
        for (const [i, entry] of batch.entries()) entry.resolve(results[i] as R);
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.running = false;
  }
}
