import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import type { DatabaseKind } from '../../../domain/database-kind.js';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { CHANGES } from '../shared/url-row.js';
import { POSTGRES_TABLES } from './postgres-tables.js';
import { SQLITE_TABLES } from './sqlite-tables.js';

/**
 * One step in the history of the tables. Numbers are unique and increase. A migration is never changed or removed once
 * it is on the main branch, because somebody's database may be waiting for it.
 */
interface Migration {
  readonly number: number;
  readonly name: string;
  /** Statements that are the same on every database; they follow those for one kind. */
  readonly every: readonly string[];
  readonly sqlite?: readonly string[];
  readonly postgres?: readonly string[];
}

/** The tables of the first release. */
const TABLES: Migration = {
  number: 1,
  name: 'Tables',
  sqlite: SQLITE_TABLES,
  postgres: POSTGRES_TABLES,
  every: [
    `CREATE TABLE api_key (
       name text PRIMARY KEY NOT NULL, role text NOT NULL, digest text NOT NULL, created_at bigint NOT NULL,
       created_by text NOT NULL, expires_at bigint)`,
    `CREATE TABLE console_session (
       digest text PRIMARY KEY NOT NULL, name text NOT NULL, role text NOT NULL, expires_at bigint NOT NULL)`,
    `CREATE TABLE secret (
       name text PRIMARY KEY NOT NULL, value text NOT NULL, set_at bigint NOT NULL, set_by text NOT NULL)`,
  ],
};

/** Returns the migrations that add columns to the URL list. */
export const listColumnMigrations = (
  fields: readonly { readonly column: string; readonly type: string; readonly since?: number }[],
): Migration[] =>
  fields.flatMap(({ column, type, since }) =>
    since === undefined
      ? []
      : [{ number: since, name: `Url_${column}_`, every: [`ALTER TABLE url ADD COLUMN ${column} ${type}`] }],
  );

const AUDIT_CRAWLER: Migration = {
  number: 3,
  name: 'AuditCrawler',
  every: ['ALTER TABLE audit ADD COLUMN crawler text'],
};

const MIGRATIONS: readonly Migration[] = [
  TABLES,
  AUDIT_CRAWLER,
  ...listColumnMigrations(Object.values(CHANGES)),
].toSorted((a, b) => a.number - b.number);

/** TypeORM orders migrations by the 13 digits at the end of their names. */
const getFullName = ({ number, name }: Migration): string => name + String(number).padStart(13, '0');

export const createMigrations = (database: DatabaseKind, migrations = MIGRATIONS): (new () => MigrationInterface)[] =>
  migrations.map(
    (migration) =>
      class {
        readonly name = getFullName(migration);

        async up(runner: QueryRunner): Promise<void> {
          for (const statement of [...(migration[database] ?? []), ...migration.every]) await runner.query(statement);
        }

        async down(): Promise<void> {
          throw new Error('Migrations cannot be undone: restore a backup.');
        }
      },
  );

/**
 * Brings the tables of a database up to date. Throws StoreDamaged, and changes nothing, if the database was written by a
 * newer version of this program, or by one from before the first release.
 */
export async function migrate(dataSource: DataSource, displayName: string): Promise<void> {
  const appliedNames = await listAppliedMigrations(dataSource);
  if (appliedNames.length > 0 && !appliedNames.includes(getFullName(TABLES))) {
    throw new StoreDamaged(
      `The database ${displayName} was written before the first release of Crawlway, when its tables were different: run \`crawlway store export FILE\` with the program that wrote it and \`crawlway store import FILE\` with this one and an empty database, which carries over URLs, submitted roots, orders and settings; CrawlConfig.xml stays as it is.`,
    );
  }
  const knownNames = new Set(dataSource.migrations.map(({ name }) => name));
  const unknownNames = appliedNames.filter((name) => !knownNames.has(name));
  if (unknownNames.length > 0) {
    throw new StoreDamaged(
      `The database ${displayName} was written by a newer version of Crawlway (unknown migrations: ${unknownNames.join(', ')}). Start that version, or restore a backup.`,
    );
  }
  await dataSource.runMigrations({ transaction: 'all' });
}

async function listAppliedMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await runner.hasTable('migration'))) return [];
    const rows: { name: string }[] = await runner.query('SELECT name FROM migration');
    return rows.map(({ name }) => name);
  } finally {
    await runner.release();
  }
}
