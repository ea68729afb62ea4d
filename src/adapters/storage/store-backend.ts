import type { Secret } from '../../domain/secret.js';
import type { FrontierStore, StoreDamaged } from '../../engine/ports/frontier-store.js';
import type { Log } from '../../engine/ports/log.js';
import type { Nodes } from '../../engine/ports/nodes.js';
import type { Partitions } from '../../engine/ports/partitions.js';
import type { AdminStore } from './shared/admin-store.js';
import type { Seal } from './shared/seal.js';
import type { HandOut } from './shared/store-thread.js';

export interface StoreOptions {
  /** Delivers the replies of a thread that writes, if the store has one. */
  readonly handOut?: HandOut;
  /** Called if a large database is found to be damaged once it is open. Without it, the whole of it is checked first. */
  readonly onDamage?: (error: StoreDamaged) => void;
  /** Called with the time of a database that several servers can share, by its own clock. */
  readonly onTime?: (time: number) => void;
  /** Called if the store cannot be opened before another server has brought its tables up to date. */
  readonly onWait?: (reason: string) => void;
}

interface NodeOptions extends Pick<StoreOptions, 'onTime'> {
  readonly crawls: boolean;
  readonly log: Log;
}

/** Everything that the server needs from one kind of database. To add a kind, see docs/architecture.md, "Seams". */
interface StoreBackend {
  /** The file, or the host and database, for messages. */
  readonly displayName: string;
  /** False if opening the database would create an empty one. */
  exists(): boolean;
  /**
   * Keeps servers from using the database until the returned function is called; has no effect if several can share it.
   * @throws DataDirectoryInUse
   */
  lock(): () => void;
  /**
   * Brings the tables up to date and opens the crawl's store.
   * @throws StoreUnavailable if it cannot be opened at the moment, StoreDamaged if it cannot be read or was written by
   * a newer version
   */
  openStore(options?: StoreOptions): Promise<FrontierStore>;
  /**
   * Opens the administrative data: audit log, configuration history, secrets, keys and sessions. Throws the same errors as
   * openStore.
   */
  openAdminStore(seal: Seal | undefined): Promise<AdminStore>;
  /**
   * Reads the secrets to which configurations refer, by name, even while a server uses the database. An absent database
   * has none and is not created.
   * @throws WrongKey if there is no key, or if it is not the one with which they were encrypted
   */
  readSecrets(seal: Seal | undefined): Promise<ReadonlyMap<string, string>>;
  /** Opens the key that the database provides for texts that must not be readable in it; undefined if it has none. */
  openOwnSeal(): Seal | undefined;
  /** Opens what several servers on the database need to share a crawl; undefined if it can have only one server. */
  openNodes(options: NodeOptions): { partitions: Partitions; nodes: Nodes } | undefined;
}

export type OpenBackend = (url: Secret) => StoreBackend;
