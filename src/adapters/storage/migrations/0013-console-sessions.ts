import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People who have signed in to the console. */
export class ConsoleSessions0013 implements MigrationInterface {
  readonly name = 'ConsoleSessions0000000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE console_session (
      digest text PRIMARY KEY NOT NULL, name text NOT NULL, role text NOT NULL, expires_at bigint NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE console_session');
  }
}
