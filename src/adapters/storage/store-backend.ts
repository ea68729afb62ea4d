import type { Secret } from '../../domain/secret.js';
import type { FrontierStore } from '../../engine/ports/frontier-store.js';
import type { Log } from '../../engine/ports/log.js';
import type { Nodes } from '../../engine/ports/nodes.js';
import type { Partitions } from '../../engine/ports/partitions.js';
import type { AdminStore } from './shared/admin-store.js';
import type { Seal } from './shared/seal.js';

/** Everything that the server needs of one kind of database. To add a kind: docs/ARCHITECTURE.md, "Seams". */
export interface StoreBackend {
  /** File, or host and database, for messages. */
  readonly place: string;
  /** False: opening it makes an empty one. */
  exists(): boolean;
  /**
   * Brings the tables up to date and opens the store of the crawl.
   * @throws StoreUnavailable if it cannot be opened now, StoreDamaged if it cannot be read or was written by a newer version
   */
  openStore(): Promise<FrontierStore>;
  /** Opens what the server stores besides the crawl: audit log, configuration history, keys, sessions. Errors as for openStore. */
  openAdminStore(seal: Seal | undefined): Promise<AdminStore>;
  /** The key provided by the database for texts that must not be readable in it; undefined: it has none. */
  openOwnSeal(): Seal | undefined;
  /** What several servers on the database need to share a crawl; undefined: it has only one. */
  openNodes(options: { crawls: boolean; log: Log }): { partitions: Partitions; nodes: Nodes } | undefined;
}

export type OpenBackend = (url: Secret) => StoreBackend;
