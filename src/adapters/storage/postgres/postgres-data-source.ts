import 'reflect-metadata';
import { DataSource } from 'typeorm';
import type { Secret } from '../../../domain/secret.js';
import { createMigrations, migrate } from '../migrations/migrations.js';
import { ADMIN_ENTITIES } from '../shared/admin-rows.js';
import { getDisplayName, toConnectionConfig } from './connection.js';
import { toPortError } from './postgres-pool.js';

/** Arbitrary number of the lock that makes servers starting at the same time on one database migrate it in turn. */
const MIGRATION_LOCK = 5_218_017;

/**
 * Connects to the database and brings its tables up to date. Throws StoreUnavailable if the database cannot be reached,
 * StoreDamaged if it was written by a version with other tables.
 */
export async function openPostgresDataSource(url: Secret): Promise<DataSource> {
  const extra = toConnectionConfig(url);
  const dataSource = new DataSource({
    type: 'postgres',
    database: extra.database,
    extra,
    poolSize: 2,
    entities: ADMIN_ENTITIES,
    migrations: createMigrations('postgres'),
    migrationsTableName: 'migration',
  });
  try {
    await dataSource.initialize();
    await migrateInTurn(dataSource, getDisplayName(url));
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw toPortError((error as { driverError?: unknown }).driverError ?? error, getDisplayName(url));
  }
}

async function migrateInTurn(dataSource: DataSource, displayName: string): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate(dataSource, displayName);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await runner.release();
  }
}
