/** Wraps an object and counts its pending calls, for which a test on a manual clock waits. */
export function countingCalls<T extends object>(target: T): { readonly counted: T; readonly inFlight: () => number } {
  let calls = 0;
  const counted = new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, object, args);
        if (!(result instanceof Promise)) return result;
        calls++;
        return result.finally(() => calls--);
      };
    },
  });
  return { counted, inFlight: () => calls };
}
