/** Calls that have not ended, for which a test on a manual clock waits. */
export class PendingCalls {
  count = 0;
  private next = Promise.withResolvers<void>();

  /** Counts the call until it has ended. */
  track<T>(call: Promise<T>): Promise<T> {
    this.count++;
    return call.finally(() => {
      this.count--;
      this.next.resolve();
      this.next = Promise.withResolvers();
    });
  }

  /** Resolves when one of them has ended. */
  nextEnd(): Promise<void> {
    return this.next.promise;
  }
}

/** Wraps an object and counts its pending calls. */
export const countingCalls = <T extends object>(target: T, pending: PendingCalls): T =>
  new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, object, args);
        return result instanceof Promise ? pending.track(result) : result;
      };
    },
  });
