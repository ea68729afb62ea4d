import type { DataSource } from 'typeorm';

/** Names of migrations that the database has seen and this program does not know: it was written by a newer version. */
export async function unknownMigrations(dataSource: DataSource): Promise<string[]> {
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
