import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys that were made over the API. */
export class ApiKeys0010 implements MigrationInterface {
  readonly name = 'ApiKeys0000000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE api_key (
      name text PRIMARY KEY NOT NULL, role text NOT NULL, digest text NOT NULL, created_at bigint NOT NULL,
      created_by text NOT NULL, expires_at bigint)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key');
  }
}
