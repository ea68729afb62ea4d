/** Keeps the most recently added entries, up to a maximum number and total weight. */
export class WeighedCache<Key, Value> {
  private readonly entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  private weight = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxWeight: number,
  ) {}

  get(key: Key): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** The new entry is kept, whatever it weighs. */
  set(key: Key, value: Value, weight: number): void {
    this.delete(key);
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if ((this.entries.size <= this.maxEntries && this.weight <= this.maxWeight) || oldest === key) return;
      this.delete(oldest);
    }
  }

  deleteWhere(isUnwanted: (value: Value) => boolean): void {
    for (const [key, { value }] of this.entries) if (isUnwanted(value)) this.delete(key);
  }

  private delete(key: Key): void {
    this.weight -= this.entries.get(key)?.weight ?? 0;
    this.entries.delete(key);
  }
}
