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
