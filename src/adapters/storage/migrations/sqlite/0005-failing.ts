import type { MigrationInterface, QueryRunner } from 'typeorm';

/** URLs in error (status 4) by reason and host, with the time of the failure; a URL that does not fail is not in it. */
export class Failing0005 implements MigrationInterface {
  readonly name = 'Failing0000000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX url_error ON url (reason, site_id, last_visit_at) WHERE status = 4');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX url_error');
  }
}
