import 'reflect-metadata';
import Database from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { ApiKeyRow } from '../entities/api-key.js';
import { AuditRow } from '../entities/audit-entry.js';
import { ConfigurationVersionRow } from '../entities/configuration-version.js';
import { ConsoleSessionRow } from '../entities/console-session.js';
import { CounterRow } from '../entities/counter.js';
import { HostRow } from '../entities/host.js';
import { OwedCountRow } from '../entities/owed-count.js';
import { OwedOrderRow } from '../entities/owed-order.js';
import { PageLinksRow } from '../entities/page-links.js';
import { PushOrderRow } from '../entities/push-order.js';
import { SettingRow } from '../entities/setting.js';
import { SiteRow } from '../entities/site.js';
import { UrlRow } from '../entities/url.js';
import { VisitRow } from '../entities/visit.js';
import { SHARED_MIGRATIONS } from '../migrations/shared.js';
import { Frontier0001 } from '../migrations/sqlite/0001-frontier.js';
import { Administration0002 } from '../migrations/sqlite/0002-administration.js';
import { Failing0005 } from '../migrations/sqlite/0005-failing.js';
import { FoundAgain0008 } from '../migrations/sqlite/0008-found-again.js';
import { OwedOrders0014 } from '../migrations/sqlite/0014-owed-orders.js';
import { OwedCounts0015 } from '../migrations/sqlite/0015-owed-counts.js';
import { findUnknownMigrations } from '../shared/migration-check.js';
import { restrictDatabaseFiles } from '../shared/private-files.js';
import { type Handle, prepareHandle, toPortError } from './sqlite-handle.js';

const ENTITIES = [
  SiteRow,
  UrlRow,
  CounterRow,
  HostRow,
  VisitRow,
  PageLinksRow,
  PushOrderRow,
  OwedOrderRow,
  OwedCountRow,
  SettingRow,
  ConfigurationVersionRow,
  AuditRow,
  ApiKeyRow,
  ConsoleSessionRow,
];
const MIGRATIONS = [
  ...SHARED_MIGRATIONS,
  Frontier0001,
  Administration0002,
  Failing0005,
  FoundAgain0008,
  OwedOrders0014,
  OwedCounts0015,
];

/**
 * Opens (or creates) the file and brings its tables up to date. Throws StoreDamaged if the file is not a valid database
 * or was written by a newer version, or StoreUnavailable if another program has locked it; in these cases, the file is
 * not changed.
 */
export async function openSqliteDataSource(file: string): Promise<DataSource> {
  restrictDatabaseFiles(file);
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: file,
    driver: Database,
    prepareDatabase: prepareHandle,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
  });
  try {
    await dataSource.initialize();
    const unknownMigrations = await findUnknownMigrations(dataSource);
    if (unknownMigrations.length > 0) {
      throw new StoreDamaged(
        `The database ${file} was written by a newer version of Crawlway (unknown migrations: ${unknownMigrations.join(', ')}). Start that version, or restore a backup.`,
      );
    }
    await dataSource.runMigrations({ transaction: 'all' });
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
