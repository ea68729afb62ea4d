import { openPostgresNodes } from '../cluster/open.js';
import { AdminStore } from '../shared/admin-store.js';
import type { OpenBackend } from '../store-backend.js';
import { placeOf } from './connection.js';
import { openPostgresDataSource } from './postgres-data-source.js';
import { postgresError } from './postgres-pool.js';
import { openPostgresStore } from './postgres-store.js';

/** A database that any number of servers share, and whose disk is not theirs: it provides no key. */
export const postgresBackend: OpenBackend = (url) => ({
  place: placeOf(url),
  exists: () => true,
  openStore: () => openPostgresStore(url),
  openAdminStore: async (seal) =>
    new AdminStore(await openPostgresDataSource(url), (error) => postgresError(error, placeOf(url)), seal),
  ownSeal: () => undefined,
  openNodes: (options) => openPostgresNodes(url, options),
});
