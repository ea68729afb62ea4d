/** Keeps the entries added last, within a maximum number and total weight. */
export class WeighedCache<Key, Value> {
  private readonly entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  private weight = 0;

  constructor(
    private readonly mostEntries: number,
    private readonly mostWeight: number,
  ) {}

  get(key: Key): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** The last entry stays, whatever it weighs. */
  set(key: Key, value: Value, weight: number): void {
    this.delete(key);
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if ((this.entries.size <= this.mostEntries && this.weight <= this.mostWeight) || oldest === key) return;
      this.delete(oldest);
    }
  }

  private delete(key: Key): void {
    this.weight -= this.entries.get(key)?.weight ?? 0;
    this.entries.delete(key);
  }
}
