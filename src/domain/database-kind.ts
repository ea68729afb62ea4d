import type { Secret } from './secret.js';

/** The databases that the server can keep its store in: how their URLs begin as shown, and whether several servers share one. */
export const DATABASES = {
  sqlite: { prefix: 'sqlite:', isShared: false },
  postgres: { prefix: 'postgres://', isShared: true },
} as const;

export type DatabaseKind = keyof typeof DATABASES;

/** @throws Error for a URL that was not read by readDatabaseUrl */
export function databaseKind(url: Secret): DatabaseKind {
  const shown = String(url);
  for (const [kind, { prefix }] of Object.entries(DATABASES)) if (shown.startsWith(prefix)) return kind as DatabaseKind;
  throw new Error(`the database URL ${shown} is of an unknown kind`);
}

/** Several servers may crawl on the database together. */
export const isSharedDatabase = (url: Secret): boolean => DATABASES[databaseKind(url)].isShared;
