/**
 * A map with a maximum number of entries. `set` makes the entry the newest, and forgets the oldest one when there are
 * more than `limit`; reading an entry does not change its age.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  constructor(private readonly limit: number) {
    super();
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.limit) this.delete(this.keys().next().value as K);
    return this;
  }
}
