import type { Instant } from '../../domain/time/units.js';
import type { Role } from './api-keys.js';

/** A key that was made over the API. The key itself is known to its owner alone. */
export interface StoredKey {
  readonly name: string;
  readonly role: Role;
  /** SHA-256, hex. */
  readonly digest: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** It opens nothing from then on. */
  readonly expiresAt?: Instant;
}

/** Where they are kept; shared by all servers of a database. */
export interface KeyStore {
  /** All of them, by name. */
  keys(): Promise<StoredKey[]>;
  /** False when there is one of that name. */
  addKey(key: StoredKey): Promise<boolean>;
  /** False when there is none. */
  removeKey(name: string): Promise<boolean>;
}
