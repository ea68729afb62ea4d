/**
 * Collects items while a call is in flight and passes them on together when it has ended: batches grow with the load,
 * and a lone item does not wait. Results arrive in the order in which items were added.
 */
export class Batcher<T, R> {
  private waitingItems: { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }[] = [];
  private isRunning = false;

  constructor(
    private readonly processBatch: (items: T[]) => Promise<readonly R[]>,
    private readonly maxItems: number,
  ) {}

  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.waitingItems.push({ item, resolve, reject });
      if (!this.isRunning) {
        this.isRunning = true;
        queueMicrotask(() => void this.run());
      }
    });
  }

  private async run(): Promise<void> {
    while (this.waitingItems.length > 0) {
      const batch = this.waitingItems.splice(0, this.maxItems);
      try {
        const results = await this.processBatch(batch.map((entry) => entry.item));
        for (const [i, entry] of batch.entries()) entry.resolve(results[i] as R);
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.isRunning = false;
  }
}
