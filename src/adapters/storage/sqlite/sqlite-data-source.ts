import 'reflect-metadata';
import Database from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { createMigrations, migrate } from '../migrations/migrations.js';
import { ADMIN_ENTITIES } from '../shared/admin-rows.js';
import { restrictDatabaseFiles } from '../shared/data-directory.js';
import { type Handle, prepareHandle, toPortError } from './sqlite-handle.js';

/**
 * Opens (or creates) the file and brings its tables up to date. Throws StoreDamaged if the file is not a valid database
 * or was written by a version with other tables, or StoreUnavailable if another program has locked it; in these cases,
 * the file is not changed.
 */
export async function openSqliteDataSource(file: string): Promise<DataSource> {
  restrictDatabaseFiles(file);
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: file,
    driver: Database,
    prepareDatabase: prepareHandle,
    entities: ADMIN_ENTITIES,
    migrations: createMigrations('sqlite'),
    migrationsTableName: 'migration',
  });
  try {
    await dataSource.initialize();
    await migrate(dataSource, file);
    // If another program has locked the file, this reports it now, not when the first write of the server times out.
    getRawHandle(dataSource).exec('BEGIN IMMEDIATE; ROLLBACK');
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw toPortError((error as { driverError?: unknown }).driverError ?? error, file);
  }
}

/** Returns the underlying handle of a TypeORM connection, because TypeORM would slow down hot statements by a third. */
export function getRawHandle(dataSource: DataSource): Handle {
  return (dataSource.driver as unknown as { databaseConnection: Handle }).databaseConnection;
}
