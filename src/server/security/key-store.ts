import type { Instant } from '../../domain/time/units.js';
import type { Role } from './api-keys.js';

/** A key created through the API. The key itself is known only to its owner. */
export interface StoredKey {
  readonly name: string;
  readonly role: Role;
  /** SHA-256, hex. */
  readonly digest: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** Invalid from then on. */
  readonly expiresAt?: Instant;
}

/** Where they are kept; shared by all servers of a database. */
export interface KeyStore {
  /** All of them, by name. */
  listKeys(): Promise<StoredKey[]>;
  /** False when there is one with that name. */
  addKey(key: StoredKey): Promise<boolean>;
  /** False when there is none. */
  removeKey(name: string): Promise<boolean>;
}
