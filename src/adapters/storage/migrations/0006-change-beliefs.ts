import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The change belief of each page and the visit price of each host. The change beliefs of known pages are learned from
 * scratch.
 */
const ADDED_COLUMNS = [
  ['url', 'change_interval', 'bigint'],
  ['url', 'change_doubt', 'double precision'],
  ['host', 'visit_price', 'bigint NOT NULL DEFAULT 0'],
] as const;

export class ChangeBeliefs0006 implements MigrationInterface {
  readonly name = 'ChangeBeliefs0000000000006';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column, type] of ADDED_COLUMNS)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of ADDED_COLUMNS) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}
