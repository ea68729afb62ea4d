const INITIAL_CAPACITY = 1_024;

/**
 * A set of row ids that takes eight bytes per id, whatever its value: ids of a shared database are large and far apart.
 */
export class IdSet {
  private ids = new Float64Array(INITIAL_CAPACITY);
  private size = 0;
  private sortedCount = 0;

  add(id: number): void {
    if (this.size === this.ids.length) {
      const largerIds = new Float64Array(this.size * 2);
      largerIds.set(this.ids);
      this.ids = largerIds;
    }
    this.ids[this.size++] = id;
  }

  /** Sorts the ids first if any were added since the last query. */
  has(id: number): boolean {
    if (this.sortedCount < this.size) {
      this.ids.subarray(0, this.size).sort();
      this.sortedCount = this.size;
    }
    let low = 0;
    for (let high = this.size; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low < this.size && this.ids[low] === id;
  }
}
