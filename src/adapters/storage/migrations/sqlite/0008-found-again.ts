import { createMigration } from '../statements.js';

/**
 * What is needed to restore documents: URLs whose status was removed after errors (status 8), the link targets of pages
 * that are not read again because they have not changed, and the canonical URLs to which pages gave way.
 */
const UP = [
  'ALTER TABLE url ADD COLUMN canonical text',
  'CREATE INDEX url_canonical ON url (canonical) WHERE canonical IS NOT NULL',
  'CREATE INDEX url_removed ON url (key, site_id, reason, last_visit_at) WHERE status = 8',
  `CREATE TABLE page_links (
     url_id integer PRIMARY KEY NOT NULL, at bigint NOT NULL, stamp text NOT NULL, validators text NOT NULL,
     keys blob NOT NULL)`,
];

const DOWN = [
  'DROP TABLE page_links',
  'DROP INDEX url_removed',
  'DROP INDEX url_canonical',
  'ALTER TABLE url DROP COLUMN canonical',
];

export const FoundAgain0008 = createMigration('FoundAgain0000000000008', UP, DOWN);
