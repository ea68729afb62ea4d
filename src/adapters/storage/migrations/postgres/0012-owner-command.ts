import { createMigration } from '../statements.js';

/**
 * Renames the table of commands to the owners of hosts to the name that the rest of the program uses. A node of an
 * earlier release that is still running can continue to use the old name, which is now a view.
 */
const UP = [
  'ALTER TABLE errand RENAME TO owner_command',
  'ALTER SEQUENCE errand_seq RENAME TO owner_command_seq',
  'ALTER INDEX errand_pkey RENAME TO owner_command_pkey',
  'CREATE VIEW errand AS SELECT * FROM owner_command',
];

const DOWN = [
  'DROP VIEW errand',
  'ALTER INDEX owner_command_pkey RENAME TO errand_pkey',
  'ALTER SEQUENCE owner_command_seq RENAME TO errand_seq',
  'ALTER TABLE owner_command RENAME TO errand',
];

export const OwnerCommand0012 = createMigration('OwnerCommand0000000000012', UP, DOWN);
