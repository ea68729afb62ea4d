import { createMigration } from './statements.js';

/** API keys that were created through the API. */
export const ApiKeys0010 = createMigration(
  'ApiKeys0000000000010',
  [
    `CREATE TABLE api_key (
      name text PRIMARY KEY NOT NULL, role text NOT NULL, digest text NOT NULL, created_at bigint NOT NULL,
      created_by text NOT NULL, expires_at bigint)`,
  ],
  ['DROP TABLE api_key'],
);
