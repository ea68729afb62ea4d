import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Administration0002 implements MigrationInterface {
  readonly name = 'Administration0000000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE configuration_version (
      id integer PRIMARY KEY NOT NULL, at bigint NOT NULL, who text NOT NULL, xml text NOT NULL, note text)`);
    await runner.query(`CREATE TABLE audit (
      id integer PRIMARY KEY NOT NULL, at bigint NOT NULL, who text NOT NULL, action text NOT NULL, before text, after text)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit');
    await runner.query('DROP TABLE configuration_version');
  }
}
