import { forEachInSteps, type Steps, sortInSteps } from '../steps.js';

/**
 * Longest-prefix look-up: prefixes are sorted, and each one is linked to the longest other prefix with which it begins.
 * A look-up is one binary search and a short walk up, so 100,000 prefixes cost only a few more steps than 10.
 */
export class PrefixTable<T> {
  private constructor(
    private readonly prefixes: readonly string[],
    private readonly values: readonly T[],
    /** Position of the longest proper prefix in the same table; -1 if there is none. */
    private readonly parents: Int32Array,
  ) {}

  /** If several entries have the same prefix, the last one applies; otherwise, their order does not matter. */
  static *create<T>(entries: Iterable<readonly [prefix: string, value: T]>): Steps<PrefixTable<T>> {
    const values = new Map<string, T>();
    yield* forEachInSteps(entries, ([prefix, value]) => values.set(prefix, value));
    const prefixes = yield* sortInSteps([...values.keys()]);
    const sortedValues = prefixes.map((prefix) => values.get(prefix) as T);
    return new PrefixTable(prefixes, sortedValues, yield* computeParents(prefixes));
  }

  /** The value of the longest prefix with which the text begins. */
  findLongest(text: string): T | undefined {
    let index = this.findLastNotAfter(text);
    // Anything that sorts between a prefix of the text and the text itself begins with that prefix, so the prefix is
    // among its ancestors.
    while (index >= 0 && !text.startsWith(this.prefixes[index] ?? '')) index = this.parents[index] ?? -1;
    return index < 0 ? undefined : this.values[index];
  }

  private findLastNotAfter(text: string): number {
    let low = 0;
    let high = this.prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.prefixes[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function* computeParents(sortedPrefixes: readonly string[]): Steps<Int32Array> {
  const parents = new Int32Array(sortedPrefixes.length);
  const ancestors: number[] = [];
  yield* forEachInSteps(sortedPrefixes.entries(), ([index, prefix]) => {
    let top = ancestors[ancestors.length - 1];
    while (top !== undefined && !prefix.startsWith(sortedPrefixes[top] ?? '')) {
      ancestors.pop();
      top = ancestors[ancestors.length - 1];
    }
    parents[index] = top ?? -1;
    ancestors.push(index);
  });
  return parents;
}
