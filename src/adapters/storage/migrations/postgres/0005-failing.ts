import { createMigration } from '../statements.js';

/** Index of URLs in error (status 4) by reason and host, with the time of the failure. */
export const Failing0005 = createMigration(
  'Failing0000000000005',
  ['CREATE INDEX url_error ON url (reason, part, site_id, last_visit_at) WHERE status = 4'],
  ['DROP INDEX url_error'],
);
