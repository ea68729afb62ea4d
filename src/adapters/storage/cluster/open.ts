import type { Secret } from '../../../domain/secret.js';
import type { Log } from '../../../engine/ports/log.js';
import type { Nodes } from '../../../engine/ports/nodes.js';
import type { Partitions } from '../../../engine/ports/partitions.js';
import { PostgresPool } from '../postgres/postgres-pool.js';
import { Leases } from './leases.js';
import { PostgresNodes } from './postgres-nodes.js';
import { LEASE_MS, PostgresPartitions } from './postgres-partitions.js';

/** Connections for leases and messages, separate from those of the crawl: a busy store must not cost a node its lease. */
const CONNECTIONS = 2;

/** Opens what a server needs to share a crawl with others on the same database, whose tables must be up to date. */
export function openPostgresNodes(
  url: Secret,
  { crawls, log }: { crawls: boolean; log: Log },
): { partitions: Partitions; nodes: Nodes } {
  const pool = new PostgresPool(url, { connections: CONNECTIONS, queryTimeoutMs: LEASE_MS / 2 });
  const partitions = new PostgresPartitions(new Leases(pool), { crawls, log });
  return { partitions, nodes: new PostgresNodes(pool, url, partitions, log) };
}
