import type { Secret } from './secret.js';

/** The databases in which the server can keep its store: the prefix of their URLs, and whether several servers can share one. */
export const DATABASES = {
  sqlite: { prefix: 'sqlite:', isShared: false },
  postgres: { prefix: 'postgres://', isShared: true },
} as const;

export type DatabaseKind = keyof typeof DATABASES;

/** @throws Error for a URL that was not returned by readDatabaseUrl */
export function detectDatabaseKind(url: Secret): DatabaseKind {
  const shown = String(url);
  for (const [kind, { prefix }] of Object.entries(DATABASES)) if (shown.startsWith(prefix)) return kind as DatabaseKind;
  throw new Error(`the database URL ${shown} is of an unknown kind`);
}

/** Several servers may crawl on the database together. */
export const isSharedDatabase = (url: Secret): boolean => DATABASES[detectDatabaseKind(url)].isShared;
