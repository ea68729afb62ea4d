import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents that were split off a page, as JSON; most pages have none. */
export class Parts0011 implements MigrationInterface {
  readonly name = 'Parts0000000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE url ADD COLUMN parts text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE url DROP COLUMN parts');
  }
}
