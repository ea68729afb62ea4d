import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Administration0002 implements MigrationInterface {
  readonly name = 'Administration0000000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE configuration_version (
      "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, digest text NOT NULL, xml text NOT NULL)`);
    await runner.query(`CREATE TABLE audit (
      "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, at bigint NOT NULL, who text NOT NULL, what text NOT NULL,
      target text NOT NULL, outcome text NOT NULL, "before" text NOT NULL, "after" text NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit');
    await runner.query('DROP TABLE configuration_version');
  }
}
