/**
 * What the process was asked for: flags go before environment, environment before defaults.
 */
import { type ApiKey, readApiKeys } from './security/api-keys.js';

export interface ServerOptions {
  readonly configFile: string;
  readonly dataDirectory: string;
  readonly port: number;
  readonly host: string;
  /** `sqlite:FILE` or `postgres://…`. */
  readonly databaseUrl: string;
  readonly apiKeys: readonly ApiKey[];
}

export interface ServerFlags {
  readonly config?: string;
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
}

/** A mistake in flags or environment: told in one sentence, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const DEFAULT_CONFIG = 'config/CrawlConfig.xml';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** @throws UsageError for a bad port, bad keys, or an address that is open to others without any key. */
export function serverOptions(flags: ServerFlags, env: NodeJS.ProcessEnv): ServerOptions {
  const dataDirectory = flags.data ?? env['CRAWLWAY_DATA'] ?? 'data';
  const host = flags.host ?? env['CRAWLWAY_HOST'] ?? '127.0.0.1';
  const apiKeys = readKeys(env['CRAWLWAY_API_KEYS']);
  if (apiKeys.length === 0 && !isLoopback(host)) {
    throw new UsageError(
      `refusing to listen on ${host} without API keys: everybody who reaches it could steer the crawl. ` +
        'Set CRAWLWAY_API_KEYS (name:role:key, comma-separated; roles read, operate, admin) or listen on 127.0.0.1',
    );
  }
  return {
    configFile: flags.config ?? env['CRAWLWAY_CONFIG'] ?? DEFAULT_CONFIG,
    dataDirectory,
    port: portNumber(flags.port ?? env['CRAWLWAY_PORT'] ?? '8740'),
    host,
    databaseUrl: env['CRAWLWAY_DATABASE_URL'] ?? `sqlite:${dataDirectory}/crawlway.sqlite`,
    apiKeys,
  };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`${text} is no port: a number from 0 to 65535`);
  return port;
}

function readKeys(text: string | undefined): ApiKey[] {
  try {
    return readApiKeys(text);
  } catch (error) {
    throw new UsageError(`CRAWLWAY_API_KEYS: ${(error as Error).message}`);
  }
}
