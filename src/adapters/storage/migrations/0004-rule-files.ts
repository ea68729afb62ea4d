import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A version of the configuration contains the texts of the rule files that it names; an older one has none. */
export class RuleFiles0004 implements MigrationInterface {
  readonly name = 'RuleFiles0000000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE configuration_version ADD COLUMN files text NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE configuration_version DROP COLUMN files');
  }
}
