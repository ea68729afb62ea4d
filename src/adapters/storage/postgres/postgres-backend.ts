import { openPostgresNodes } from '../cluster/open.js';
import { AdminStore } from '../shared/admin-store.js';
import type { OpenBackend } from '../store-backend.js';
import { displayName } from './connection.js';
import { openPostgresDataSource } from './postgres-data-source.js';
import { toPortError } from './postgres-pool.js';
import { openPostgresStore } from './postgres-store.js';

/** A database that any number of servers can share. Its disk is not theirs, so it provides no key. */
export const postgresBackend: OpenBackend = (url) => ({
  place: displayName(url),
  exists: () => true,
  openStore: () => openPostgresStore(url),
  openAdminStore: async (seal) =>
    new AdminStore(await openPostgresDataSource(url), (error) => toPortError(error, displayName(url)), seal),
  openOwnSeal: () => undefined,
  openNodes: (options) => openPostgresNodes(url, options),
});
