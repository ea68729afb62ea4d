import { createMigration } from './statements.js';

/** Sessions of users who have signed in to the console. */
export const ConsoleSessions0013 = createMigration(
  'ConsoleSessions0000000000013',
  [
    `CREATE TABLE console_session (
      digest text PRIMARY KEY NOT NULL, name text NOT NULL, role text NOT NULL, expires_at bigint NOT NULL)`,
  ],
  ['DROP TABLE console_session'],
);
