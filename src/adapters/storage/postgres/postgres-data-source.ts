import 'reflect-metadata';
import { DataSource } from 'typeorm';
import type { Secret } from '../../../domain/secret.js';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { ApiKeyRow } from '../entities/api-key.js';
import { AuditRow } from '../entities/audit-entry.js';
import { ConfigurationVersionRow } from '../entities/configuration-version.js';
import { ConsoleSessionRow } from '../entities/console-session.js';
import { SettingRow } from '../entities/setting.js';
import { Frontier0001 } from '../migrations/postgres/0001-frontier.js';
import { Administration0002 } from '../migrations/postgres/0002-administration.js';
import { Nodes0003 } from '../migrations/postgres/0003-nodes.js';
import { Failing0005 } from '../migrations/postgres/0005-failing.js';
import { FoundAgain0008 } from '../migrations/postgres/0008-found-again.js';
import { Commands0009 } from '../migrations/postgres/0009-commands.js';
import { OwnerCommand0012 } from '../migrations/postgres/0012-owner-command.js';
import { OwedOrders0014 } from '../migrations/postgres/0014-owed-orders.js';
import { OwedCounts0015 } from '../migrations/postgres/0015-owed-counts.js';
import { SHARED_MIGRATIONS } from '../migrations/shared.js';
import { findUnknownMigrations } from '../shared/migration-check.js';
import { getDisplayName, toConnectionConfig } from './connection.js';
import { toPortError } from './postgres-pool.js';

/** Arbitrary number of the lock that makes servers starting at the same time on one database migrate it in turn. */
const MIGRATION_LOCK = 5_218_017;

/**
 * Connects to the database and brings its tables up to date. The tables of the frontier have no entities here: their
 * keys begin with the partition, and all statements on them are in the postgres-*.ts files. Throws StoreUnavailable if
 * the database cannot be reached, StoreDamaged if it was written by a newer version.
 */
export async function openPostgresDataSource(url: Secret): Promise<DataSource> {
  const extra = toConnectionConfig(url);
  const dataSource = new DataSource({
    type: 'postgres',
    database: extra.database,
    extra,
    poolSize: 2,
    entities: [SettingRow, ConfigurationVersionRow, AuditRow, ApiKeyRow, ConsoleSessionRow],
    migrations: [
      ...SHARED_MIGRATIONS,
      Frontier0001,
      Administration0002,
      Nodes0003,
      Failing0005,
      FoundAgain0008,
      Commands0009,
      OwnerCommand0012,
      OwedOrders0014,
      OwedCounts0015,
    ],
    migrationsTableName: 'migration',
  });
  try {
    await dataSource.initialize();
    await migrate(dataSource, url);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw toPortError((error as { driverError?: unknown }).driverError ?? error, getDisplayName(url));
  }
}

async function migrate(dataSource: DataSource, url: Secret): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const unknownMigrations = await findUnknownMigrations(dataSource);
    if (unknownMigrations.length > 0) {
      throw new StoreDamaged(
        `The database at ${getDisplayName(url)} was written by a newer version of Crawlway (unknown migrations: ${unknownMigrations.join(', ')}). Start that version, or restore a backup.`,
      );
    }
    await dataSource.runMigrations({ transaction: 'all' });
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await runner.release();
  }
}
