import { createMigration } from '../statements.js';

export const Administration0002 = createMigration(
  'Administration0000000000002',
  [
    `CREATE TABLE configuration_version (
      "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, digest text NOT NULL, xml text NOT NULL)`,
    `CREATE TABLE audit (
      "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, what text NOT NULL,
      target text NOT NULL, outcome text NOT NULL, "before" text NOT NULL, "after" text NOT NULL)`,
  ],
  ['DROP TABLE audit', 'DROP TABLE configuration_version'],
);
