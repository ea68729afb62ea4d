import { type DatabaseKind, detectDatabaseKind } from '../../domain/database-kind.js';
import { postgresBackend } from './postgres/postgres-store.js';
import { sqliteBackend } from './sqlite/sqlite-store.js';
import type { OpenBackend } from './store-backend.js';

const BACKENDS: Readonly<Record<DatabaseKind, OpenBackend>> = { sqlite: sqliteBackend, postgres: postgresBackend };

/** @param url as returned by readDatabaseUrl */
export const openBackend: OpenBackend = (url) => BACKENDS[detectDatabaseKind(url)](url);
