/** What the server stores of its administration; on a shared database, all servers see the same. */
import type { Instant } from '../../domain/time/units.js';

export interface VersionHeader {
  readonly version: number;
  readonly at: Instant;
  /** Name of the API key, or `file` if the file was found changed on disk. */
  readonly who: string;
  /** SHA-256 of the text and of the files that it names, in hex. */
  readonly digest: string;
}

/** The texts of a configuration, which contain no secret, only references. */
export interface ConfigurationTexts {
  /** CrawlConfig.xml. */
  readonly xml: string;
  /** Rule files, by the name that the configuration gives them. */
  readonly files: ReadonlyMap<string, string>;
}

export type NewVersion = Omit<VersionHeader, 'version'> & ConfigurationTexts;

/** Every configuration that was ever in force. */
export interface ConfigurationHistory {
  /** Newest first. */
  listVersions(before: number | undefined, limit: number): Promise<VersionHeader[]>;
  /** Undefined for an unknown number. Versions recorded before rule files were stored have no files. */
  findTexts(version: number): Promise<ConfigurationTexts | undefined>;
  /**
   * The newest version is in force, so an old one is restored by adding its texts again.
   * @param newest the version that must still be the newest, 0 for none; otherwise nothing is added, and the result is
   * undefined
   */
  add(entry: NewVersion): Promise<VersionHeader>;
  add(entry: NewVersion, newest: number | undefined): Promise<VersionHeader | undefined>;
}

/**
 * One write through the API: who did what, to which target, and with what outcome. The writer limits the length of
 * strings.
 */
export interface AuditEntry {
  readonly at: Instant;
  /** Name of the API key; `local` if the server has no keys. */
  readonly who: string;
  /** operationId of the call; `configuration reload` when the file changed. */
  readonly what: string;
  /** Path and query of the call. */
  readonly target: string;
  /** The crawler that the call named; absent if it concerned the whole server. */
  readonly crawler?: string;
  readonly outcome: string;
  /** JSON, or empty. */
  readonly before: string;
  readonly after: string;
}

/** Append-only; the store limits its size. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first; all, or those that name the crawler. */
  listEntries(
    before: number | undefined,
    limit: number,
    crawler?: string,
  ): Promise<(AuditEntry & { readonly id: number })[]>;
}

/** A key created through the API. The key itself is known only to its owner. */
export interface StoredKey {
  readonly name: string;
  /** The role, and the crawlers to which it is limited, as `formatGrant` writes them. */
  readonly role: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  /** When the key becomes invalid. Absent: it never expires. */
  readonly expiresAt?: Instant;
}

export interface KeyStore {
  /** All keys, sorted by name. */
  listKeys(): Promise<StoredKey[]>;
  /** Returns false and changes nothing if there is already a key with that name. */
  addKey(key: StoredKey): Promise<boolean>;
  /** Returns false if there is no such key. */
  removeKey(name: string): Promise<boolean>;
}

/** A secret to which configurations refer, without its value. */
export interface StoredSecret {
  readonly name: string;
  readonly setAt: Instant;
  /** Name of the API key; `command line` for `crawlway secrets` without a server. */
  readonly setBy: string;
}

/** Stores secrets, encrypted. */
export interface SecretStore {
  /** False if there is no key with which to encrypt secrets. */
  readonly storesSecrets: boolean;
  /** Sorted by name. */
  listSecrets(): Promise<StoredSecret[]>;
  /** Adds or replaces a secret; requires `storesSecrets`. */
  putSecret(secret: StoredSecret, value: string): Promise<void>;
  /** Returns false if there is no such secret. */
  removeSecret(name: string): Promise<boolean>;
}

/** The session of a user who has signed in to the console. */
export interface StoredSession {
  /** SHA-256 of the cookie's value, in hex. */
  readonly digest: string;
  readonly name: string;
  /** The roles of the user, as `formatGrant` writes them, separated by spaces. */
  readonly role: string;
  readonly expiresAt: Instant;
}

export interface SessionStore {
  /** Finds a session, even if it has expired. */
  findSession(digest: string): Promise<StoredSession | undefined>;
  /** Also removes sessions that have ended. */
  addSession(session: StoredSession, now: Instant): Promise<void>;
  /** Stores role and end of a session; returns false if it was removed. */
  renewSession(session: StoredSession): Promise<boolean>;
  removeSession(digest: string): Promise<void>;
}
