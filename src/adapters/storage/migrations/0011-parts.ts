import { createMigration } from './statements.js';

/** Documents that were split off a page, as JSON; most pages have none. */
export const Parts0011 = createMigration(
  'Parts0000000000011',
  ['ALTER TABLE url ADD COLUMN parts text'],
  ['ALTER TABLE url DROP COLUMN parts'],
);
