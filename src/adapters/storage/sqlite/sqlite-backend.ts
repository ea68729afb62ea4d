import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DATABASES } from '../../../domain/database-kind.js';
import { AdminStore } from '../shared/admin-store.js';
import { Seal } from '../shared/seal.js';
import type { OpenBackend } from '../store-backend.js';
import { openSqliteDataSource } from './sqlite-data-source.js';
import { toPortError } from './sqlite-handle.js';
import { openSqliteStore } from './sqlite-store.js';

/** Opens a database file that only one server uses. The key that encrypts its texts is a file in the same folder. */
export const sqliteBackend: OpenBackend = (url) => {
  const file = String(url).slice(DATABASES.sqlite.prefix.length);
  return {
    displayName: file,
    exists: () => existsSync(file),
    openStore: (handOut) => openSqliteStore(file, handOut),
    openAdminStore: async (seal) =>
      new AdminStore(await openSqliteDataSource(file), (error) => toPortError(error, file), seal),
    openOwnSeal: () => Seal.forDirectory(dirname(file)),
    openNodes: () => undefined,
  };
};
