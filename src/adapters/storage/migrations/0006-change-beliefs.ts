import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is believed about a page's changes, and the visit price of a host. Beliefs about known pages are learned from
 * scratch.
 */
const ADDED = [
  ['url', 'change_interval', 'bigint'],
  ['url', 'change_doubt', 'double precision'],
  ['host', 'visit_price', 'bigint NOT NULL DEFAULT 0'],
] as const;

export class ChangeBeliefs0006 implements MigrationInterface {
  readonly name = 'ChangeBeliefs0000000000006';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column, type] of ADDED) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of ADDED) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}
