/** API keys of `CRAWLWAY_API_KEYS`. Only digests stay in memory, so a heap dump or a log line cannot reveal a key. */
import { createHash, timingSafeEqual } from 'node:crypto';

export const ROLES = ['read', 'operate', 'admin'] as const;
/** Each role includes the permissions of the roles before it. */
export type Role = (typeof ROLES)[number];

export interface ApiKey {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the key. */
  readonly digest: Uint8Array;
  /** True if the key is short enough to be guessed. */
  readonly short: boolean;
}

/** The person or program that makes a call. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** Valid names of keys. */
export const KEY_NAME = /^[\w.@-]{1,64}$/;

/** Without keys, the API listens on loopback only, and everyone on this machine may do everything. */
export const LOCAL_CALLER: Caller = { name: 'local', role: 'admin' };

/** Recommended minimum length; shorter keys are accepted with a warning. */
export const RECOMMENDED_LENGTH = 16;

/**
 * Reads `name:role:key, …`.
 * @throws Error with the position of the entry and none of its text, because any part of a misspelled entry may be the
 * key.
 */
export function parseApiKeys(text: string | undefined): ApiKey[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  const keys = entries.flatMap((entry, index) => (entry === '' ? [] : [parseEntry(entry, index + 1)]));
  const names = new Set(keys.map((key) => key.name));
  if (names.size < keys.length)
    throw new Error('two entries have the same name; names must be unique because the audit log shows them');
  return keys;
}

function parseEntry(entry: string, position: number): ApiKey {
  const [name = '', role = '', ...rest] = entry.split(':');
  const key = rest.join(':');
  if (!KEY_NAME.test(name)) {
    throw new Error(`entry ${position} has no valid name; write name:role:key with letters, digits and . _ @ -`);
  }
  if (!isRole(role)) throw new Error(`entry ${position} has no valid role (${ROLES.join(', ')}); write name:role:key`);
  if (key === '') throw new Error(`entry ${position} has no key; write name:role:key`);
  return { name, role, digest: computeDigest(key), short: key.length < RECOMMENDED_LENGTH };
}

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

export const computeDigest = (key: string): Uint8Array => createHash('sha256').update(key, 'utf8').digest();

/** Compares with every key in constant time, so that timing reveals neither which key matched nor how much of it. */
export function findCaller(keys: readonly ApiKey[], presentedKey: string): Caller | undefined {
  const presentedDigest = computeDigest(presentedKey);
  let caller: Caller | undefined;
  for (const key of keys) {
    if (timingSafeEqual(key.digest, presentedDigest)) caller = { name: key.name, role: key.role };
  }
  return caller;
}

export const hasRole = (caller: Caller, requiredRole: Role): boolean =>
  ROLES.indexOf(caller.role) >= ROLES.indexOf(requiredRole);
