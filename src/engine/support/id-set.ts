const FIRST_CAPACITY = 1_024;

/**
 * A set of row ids that takes eight bytes per id, whatever its value: ids of a shared database are large and far apart.
 */
export class IdSet {
  private ids = new Float64Array(FIRST_CAPACITY);
  private size = 0;
  private sorted = 0;

  add(id: number): void {
    if (this.size === this.ids.length) {
      const grown = new Float64Array(this.size * 2);
      grown.set(this.ids);
      this.ids = grown;
    }
    this.ids[this.size++] = id;
  }

  /** Sorts the ids first if any were added since the last query. */
  has(id: number): boolean {
    if (this.sorted < this.size) {
      this.ids.subarray(0, this.size).sort();
      this.sorted = this.size;
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
