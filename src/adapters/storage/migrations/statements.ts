import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates a migration that runs SQL statements. TypeORM orders migrations by the 13 digits at the end of their names.
 */
export const createMigration = (
  name: string,
  up: readonly string[],
  down: readonly string[],
): (new () => MigrationInterface) =>
  class {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of up) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const statement of down) await runner.query(statement);
    }
  };
