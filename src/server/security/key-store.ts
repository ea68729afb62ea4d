import type { Instant } from '../../domain/time/units.js';

/** A key created through the API. The key itself is known only to its owner. */
export interface StoredKey {
  readonly name: string;
  /** As `formatGrant` writes it. */
  readonly role: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** When the key becomes invalid. Absent: it never expires. */
  readonly expiresAt?: Instant;
}

/** Stores these keys; shared by all servers on a database. */
export interface KeyStore {
  /** All keys, sorted by name. */
  listKeys(): Promise<StoredKey[]>;
  /** Returns false if there is already a key with that name. */
  addKey(key: StoredKey): Promise<boolean>;
  /** Returns false if there is no such key. */
  removeKey(name: string): Promise<boolean>;
}
