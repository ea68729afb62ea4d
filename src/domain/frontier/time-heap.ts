import type { Instant } from '../time/units.js';

interface Entry<T> {
  readonly at: Instant;
  /** Order of insertion, which decides between equal times. */
  readonly arrival: number;
  readonly value: T;
}

/** Values that are waiting for a time: a binary min-heap, earliest first, and first in, first out for equal times. */
export class TimeHeap<T> {
  #entries: Entry<T>[] = [];
  #arrivalCount = 0;

  push(at: Instant, value: T): void {
    this.#insert({ at, arrival: this.#arrivalCount++, value });
  }

  /** Drops the values that nobody is waiting for any more. */
  retain(isWanted: (value: T) => boolean): void {
    const entries = this.#entries;
    this.#entries = [];
    for (const entry of entries) if (isWanted(entry.value)) this.#insert(entry);
  }

  #insert(entry: Entry<T>): void {
    const entries = this.#entries;
    let hole = entries.length;
    entries.push(entry);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isBefore(entry, entries[parent]!)) break;
      entries[hole] = entries[parent]!;
      hole = parent;
    }
    entries[hole] = entry;
  }

  /** The earliest time for which a value is waiting. */
  peekTime(): Instant | undefined {
    return this.#entries[0]?.at;
  }

  /** Removes the earliest value if its time has come. */
  popDue(now: Instant): T | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.at > now) return undefined;
    const last = this.#entries.pop()!;
    if (last !== first) this.#siftDown(last);
    return first.value;
  }

  #siftDown(entry: Entry<T>): void {
    const entries = this.#entries;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child++;
      if (!isBefore(entries[child]!, entry)) break;
      entries[hole] = entries[child]!;
      hole = child;
    }
    entries[hole] = entry;
  }
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.at < b.at || (a.at === b.at && a.arrival < b.arrival);
