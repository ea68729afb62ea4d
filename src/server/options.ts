/**
 * The options of the process: flags take precedence over the environment, and the environment over defaults. An empty
 * value is treated as absent; an empty data directory would mean the root of the file system.
 */
import { isSharedDatabase } from '../domain/database-kind.js';
import { Secret } from '../domain/secret.js';
import { type Duration, seconds } from '../domain/time/units.js';
import { readDatabaseUrl } from './database-url.js';
import { UsageError } from './fail.js';
import { type ApiKey, parseApiKeys } from './security/api-keys.js';
import { type OidcOptions, readOidcOptions } from './sign-in/oidc-options.js';

export { UsageError } from './fail.js';

export interface ServerOptions {
  readonly configFile: string;
  readonly dataDirectory: string;
  /** Folder below which `file` sinks write. */
  readonly fileSinkFolder: string;
  readonly port: number;
  readonly host: string;
  /** `sqlite:FILE` or `postgres://…`; see readDatabaseUrl. */
  readonly databaseUrl: Secret;
  readonly apiKeys: readonly ApiKey[];
  /** Encrypts secrets in the database. If absent, see openAdminStore. */
  readonly encryptionKey?: Secret;
  readonly roles: ReadonlySet<Role>;
  /** Absent if single sign-on is not configured. */
  readonly oidc?: OidcOptions;
  /** URL at which browsers reach this server. Absent: derived from the Host header of each request. */
  readonly publicUrl?: URL;
  /** How often secrets in files and from the helper are reread. */
  readonly secretsInterval: Duration;
  /** Port of the bundled sample site; the bundled index has the next one. */
  readonly samplePort?: number;
  /** File to which every visit is appended. Absent: visits are not logged. */
  readonly fetchLog?: string;
  /** Maximum number of calls of one kind by one caller per minute. */
  readonly callsPerMinute: number;
}

/** Where the server stores its data. */
export type StorageOptions = Pick<ServerOptions, 'databaseUrl' | 'encryptionKey'>;

/** `push` requires `crawl`: an order is delivered by the node that has the page in memory. */
export const ROLES = ['api', 'crawl', 'push'] as const;
export type Role = (typeof ROLES)[number];

export interface ServerFlags {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
  readonly fetchLog?: string;
  readonly samplePort?: string;
}

/** A console, a status table and a busy script together stay far below this. */
const CALLS_PER_MINUTE = 12_000;

export const DEFAULT_CONFIG = 'config/CrawlConfig.xml';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Parses the URL of a site as people write it: without a scheme, it is http on this machine and otherwise https. */
export function parseSiteUrl(text: string): URL | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const url = URL.parse(hasScheme ? text : `https://${text}`);
  if (!url?.hostname || !/^https?:$/.test(url.protocol)) return undefined;
  return !hasScheme && isLoopback(url.hostname) ? new URL(`http://${text}`) : url;
}

export const readDataDirectory = (flags: ServerFlags, env: NodeJS.ProcessEnv): string =>
  flags.data || env['CRAWLWAY_DATA'] || 'data';

export const readFileSinkFolder = (flags: ServerFlags, env: NodeJS.ProcessEnv): string =>
  env['CRAWLWAY_FILE_SINKS'] || readDataDirectory(flags, env);

/** @throws UsageError for an unsuitable database or a short key. */
export const readStorageOptions = (
  flags: { readonly data?: string; readonly database?: string },
  env: NodeJS.ProcessEnv,
): StorageOptions => ({
  databaseUrl: readDatabaseUrl(
    flags.database || env['CRAWLWAY_DATABASE_URL'] || `sqlite:${readDataDirectory(flags, env)}/crawlway.sqlite`,
  ),
  encryptionKey: readEncryptionKey(env['CRAWLWAY_ENCRYPTION_KEY']),
});

/** @throws UsageError for an invalid port, invalid keys, or an address that others can reach without a key. */
export function readServerOptions(flags: ServerFlags, env: NodeJS.ProcessEnv): ServerOptions {
  const dataDirectory = readDataDirectory(flags, env);
  const host = flags.host || env['CRAWLWAY_HOST'] || '127.0.0.1';
  const apiKeys = readKeys(env['CRAWLWAY_API_KEYS']);
  const oidc = readOidcOptions(env);
  if (apiKeys.length === 0 && !oidc && !isLoopback(host)) {
    throw new UsageError(
      `refusing to listen on ${host} without API keys or single sign-on: anyone who can reach it could control the crawl. ` +
        'Set CRAWLWAY_API_KEYS (name:role:key, comma-separated; roles read, operate, admin) or listen on 127.0.0.1',
    );
  }
  const { databaseUrl, encryptionKey } = readStorageOptions(flags, env);
  return {
    configFile: flags.config || env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG,
    dataDirectory,
    fileSinkFolder: readFileSinkFolder(flags, env),
    port: readPort(flags.port || env['CRAWLWAY_PORT'] || '8740'),
    host,
    databaseUrl,
    apiKeys,
    encryptionKey,
    roles: readRoles(env['CRAWLWAY_ROLES'], databaseUrl),
    ...(oidc ? { oidc } : {}),
    ...readPublicUrl(env['CRAWLWAY_PUBLIC_URL']),
    secretsInterval: readSecretsInterval(env['CRAWLWAY_SECRETS_EVERY']),
    fetchLog: flags.fetchLog || env['CRAWLWAY_FETCH_LOG'] || undefined,
    callsPerMinute: CALLS_PER_MINUTE,
    ...readSamplePort(flags.samplePort || env['CRAWLWAY_SAMPLE_PORT']),
  };
}

function readSamplePort(text: string | undefined): { samplePort?: number } {
  return text ? { samplePort: readPort(text) } : {};
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`${text} is not a valid port: use a number from 0 to 65535`);
  return port;
}

function readRoles(text: string | undefined, databaseUrl: Secret): ReadonlySet<Role> {
  const names = (text || ROLES.join(',')).split(',').map((name) => name.trim());
  const unknownName = names.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknownName !== undefined)
    throw new UsageError(`CRAWLWAY_ROLES: ${unknownName} is not a role; use one or more of ${ROLES.join(', ')}`);
  const roles = new Set(names as Role[]);
  if (!roles.has('crawl') && !isSharedDatabase(databaseUrl)) {
    throw new UsageError('CRAWLWAY_ROLES does not include crawl: with SQLite, no other server could crawl');
  }
  if (!roles.has('crawl') && !roles.has('api')) {
    throw new UsageError('CRAWLWAY_ROLES includes push but not crawl: only nodes that crawl deliver orders; add crawl');
  }
  return roles;
}

function readPublicUrl(text: string | undefined): { publicUrl?: URL } {
  if (!text) return {};
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return { publicUrl: url };
  throw new UsageError('CRAWLWAY_PUBLIC_URL is not the address of a server, such as https://HOST/');
}

function readSecretsInterval(text: string | undefined): Duration {
  const number = Number(text || '300');
  if (Number.isInteger(number) && number >= 10 && number <= 86_400) return seconds(number);
  throw new UsageError('CRAWLWAY_SECRETS_EVERY is not a whole number of seconds from 10 to 86400');
}

const MIN_ENCRYPTION_KEY_LENGTH = 32;

function readEncryptionKey(text: string | undefined): Secret | undefined {
  if (!text) return undefined;
  if (text.length >= MIN_ENCRYPTION_KEY_LENGTH) return new Secret(text);
  throw new UsageError(
    `CRAWLWAY_ENCRYPTION_KEY has fewer than ${MIN_ENCRYPTION_KEY_LENGTH} characters; create one with: openssl rand -hex 32`,
  );
}

function readKeys(text: string | undefined): ApiKey[] {
  try {
    return parseApiKeys(text);
  } catch (error) {
    throw new UsageError(`CRAWLWAY_API_KEYS: ${(error as Error).message}`);
  }
}
