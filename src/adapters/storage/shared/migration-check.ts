import type { DataSource } from 'typeorm';

/**
 * Finds names of migrations that were applied to the database but are unknown to this program, because a newer version
 * wrote it.
 */
export async function findUnknownMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await runner.hasTable('migration'))) return [];
    const done: { name: string }[] = await runner.query('SELECT name FROM migration');
    const known = new Set(dataSource.migrations.map(({ name }) => name));
    return done.map(({ name }) => name).filter((name) => !known.has(name));
  } finally {
    await runner.release();
  }
}
