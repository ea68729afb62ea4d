/** API keys of `CRAWLWAY_API_KEYS`. Only digests stay in memory, so a heap dump or a log line cannot reveal a key. */
import { createHash, timingSafeEqual } from 'node:crypto';

export const ROLES = ['read', 'operate', 'admin'] as const;
/** Each role includes the permissions of the roles before it. */
export type Role = (typeof ROLES)[number];

/** A role, for all crawlers or for some. */
export interface RoleGrant {
  readonly role: Role;
  /** Names of the crawlers to which the role is limited. Absent: it is valid for the whole server. */
  readonly crawlers?: readonly string[];
}

export interface ApiKey extends RoleGrant {
  readonly name: string;
  /** SHA-256 of the key. */
  readonly digest: Uint8Array;
  /** True if the key is short enough to be guessed. */
  readonly short: boolean;
}

/** The person or program that makes a call. */
export interface Caller {
  readonly name: string;
  /** At least one. */
  readonly grants: readonly RoleGrant[];
}

/** Valid names of keys. */
export const KEY_NAME = /^[A-Za-z0-9_.@-]{1,64}$/;

/** Without keys, the API listens on loopback only, and everyone on this machine may do everything. */
export const LOCAL_CALLER: Caller = { name: 'local', grants: [{ role: 'admin' }] };

/** Recommended minimum length; shorter keys are accepted with a warning. */
export const RECOMMENDED_LENGTH = 16;

/** How a grant is written; for messages. */
export const GRANT_FORM = `${ROLES.join(', ')}, or a role and crawlers such as admin@hr+wiki`;

/**
 * Parses `role` or `role@crawler+crawler`; special characters of names are percent-encoded. Returns undefined if the
 * text is anything else.
 */
export function parseGrant(text: string): RoleGrant | undefined {
  const [roleText = '', ...limits] = text.split('@');
  const role = ROLES.find((candidate) => candidate === roleText);
  if (!role || limits.length > 1) return undefined;
  if (limits[0] === undefined) return { role };
  try {
    const crawlers = limits[0].split('+').map(decodeURIComponent);
    return crawlers.includes('') ? undefined : { role, crawlers };
  } catch {
    return undefined;
  }
}

/** The inverse of parseGrant. */
export const formatGrant = ({ role, crawlers }: RoleGrant): string =>
  crawlers ? `${role}@${crawlers.map(encodeURIComponent).join('+')}` : role;

/**
 * Reads `name:role:key, …`, where the role may be limited to crawlers.
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
  const grant = parseGrant(role);
  if (!grant) throw new Error(`entry ${position} has no valid role (${GRANT_FORM}); write name:role:key`);
  if (key === '') throw new Error(`entry ${position} has no key; write name:role:key`);
  return { name, ...grant, digest: computeDigest(key), short: key.length < RECOMMENDED_LENGTH };
}

export const computeDigest = (key: string): Uint8Array => createHash('sha256').update(key, 'utf8').digest();

/** Compares with every key in constant time, so that timing reveals neither which key matched nor how much of it. */
export function findCaller(keys: readonly ApiKey[], presentedKey: string): Caller | undefined {
  const presentedDigest = computeDigest(presentedKey);
  let caller: Caller | undefined;
  for (const { name, role, crawlers, digest } of keys) {
    if (timingSafeEqual(digest, presentedDigest)) caller = { name, grants: [{ role, ...(crawlers && { crawlers }) }] };
  }
  return caller;
}

const getRank = ({ role }: RoleGrant): number => ROLES.indexOf(role);

/**
 * For which crawlers the caller has the role: names, or `all` including what belongs to no crawler. Undefined if the
 * caller does not have the role.
 */
export function findCrawlers({ grants }: Caller, requiredRole: Role): ReadonlySet<string> | 'all' | undefined {
  const sufficientGrants = grants.filter((grant) => getRank(grant) >= ROLES.indexOf(requiredRole));
  if (sufficientGrants.length === 0) return undefined;
  if (sufficientGrants.some(({ crawlers }) => crawlers === undefined)) return 'all';
  return new Set(sufficientGrants.flatMap(({ crawlers = [] }) => crawlers));
}

/** The highest role of a caller, and the crawlers to which it is limited. */
export function findHighestGrant(caller: Caller): RoleGrant {
  const role = ROLES.findLast((candidate) => caller.grants.some((grant) => grant.role === candidate)) ?? 'read';
  const crawlers = findCrawlers(caller, role);
  return crawlers === undefined || crawlers === 'all' ? { role } : { role, crawlers: [...crawlers] };
}
