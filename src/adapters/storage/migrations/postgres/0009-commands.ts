import { createMigration } from '../statements.js';

/**
 * Commands between nodes that fail are now retried later and finally set aside. A SQLite database has only one server
 * and no such table.
 */
const UP = [
  `ALTER TABLE errand ADD COLUMN delivers boolean NOT NULL DEFAULT false, ADD COLUMN tries smallint NOT NULL DEFAULT 0,
     ADD COLUMN retry_at timestamptz, ADD COLUMN set_aside_at timestamptz, ADD COLUMN failure text`,
  `UPDATE errand SET delivers = true WHERE text LIKE '{"do":"decide"%'`,
];

const DOWN = [
  `ALTER TABLE errand DROP COLUMN delivers, DROP COLUMN tries, DROP COLUMN retry_at, DROP COLUMN set_aside_at,
     DROP COLUMN failure`,
];

export const Commands0009 = createMigration('Commands0000000000009', UP, DOWN);
