import { openPostgresNodes } from '../cluster/open.js';
import { AdminStore } from '../shared/admin-store.js';
import type { OpenBackend } from '../store-backend.js';
import { getDisplayName } from './connection.js';
import { openPostgresDataSource } from './postgres-data-source.js';
import { toPortError } from './postgres-pool.js';
import { openPostgresStore } from './postgres-store.js';

/** Opens a database that any number of servers can share. They have no common folder in which to keep a key. */
export const postgresBackend: OpenBackend = (url) => ({
  displayName: getDisplayName(url),
  exists: () => true,
  openStore: () => openPostgresStore(url),
  openAdminStore: async (seal) =>
    new AdminStore(await openPostgresDataSource(url), (error) => toPortError(error, getDisplayName(url)), seal),
  openOwnSeal: () => undefined,
  openNodes: (options) => openPostgresNodes(url, options),
});
