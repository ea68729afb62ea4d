import type { DataSource } from 'typeorm';

/**
 * Finds the names of migrations that were applied to the database but are unknown to this program: a newer version has
 * written the database.
 */
export async function findUnknownMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await runner.hasTable('migration'))) return [];
    const appliedMigrations: { name: string }[] = await runner.query('SELECT name FROM migration');
    const knownNames = new Set(dataSource.migrations.map(({ name }) => name));
    return appliedMigrations.map(({ name }) => name).filter((name) => !knownNames.has(name));
  } finally {
    await runner.release();
  }
}
