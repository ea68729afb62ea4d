import type { Secret } from './secret.js';

/** The databases that can hold the server's store: their URL prefix, and whether several servers can share one. */
export const DATABASES = {
  sqlite: { prefix: 'sqlite:', isShared: false },
  postgres: { prefix: 'postgres://', isShared: true },
} as const;

export type DatabaseKind = keyof typeof DATABASES;

/** @throws Error if the URL was not returned by readDatabaseUrl */
export function detectDatabaseKind(url: Secret): DatabaseKind {
  const displayedUrl = String(url);
  for (const [kind, { prefix }] of Object.entries(DATABASES))
    if (displayedUrl.startsWith(prefix)) return kind as DatabaseKind;
  throw new Error(`the database URL ${displayedUrl} must begin with sqlite: or postgres://`);
}

/** Whether several servers may crawl together on this database. */
export const isSharedDatabase = (url: Secret): boolean => DATABASES[detectDatabaseKind(url)].isShared;

/**
 * Describes a PostgreSQL URL in messages by its host and database, as the driver reads it, without user name and
 * password.
 * @returns undefined for any other URL, or if an unencoded password may extend beyond the host
 */
export function describeDatabase(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return undefined;
  // The driver accepts a login without a host; the parameter `host` then names a folder of sockets.
  const parsed = URL.parse(url.replace('@/', '@no-host/'));
  if (!parsed) return undefined;
  const host = parsed.searchParams.get('host') ?? parsed.host.replace(/^no-host$/, '');
  return `${host}${parsed.pathname}`;
}
