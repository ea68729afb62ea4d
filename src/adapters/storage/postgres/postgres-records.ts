import type { HostRecord, LedgerEntry } from '../../../engine/ports/frontier-store.js';
import { type StoredHost, toHost, toHostValues } from '../shared/host-row.js';
import { computePartition } from '../shared/partition.js';
import { saveOrders } from './postgres-changes.js';
import type { PostgresPool } from './postgres-pool.js';
import { toColumns } from './postgres-sql.js';

/**
 * Number of order ids that a server may assign per start; each start gets its own block, so ids are unique across all
 * servers of one database.
 */
const ORDER_BLOCK_SIZE = 2 ** 32;

const HOST_TYPES = ['int2', 'text', 'int8', 'int8', 'int4', 'int2', 'int8'];

/** The clocks of a host never go back, so a late update from a node that has lost the host does no harm. */
const SAVE_HOSTS = `INSERT INTO host SELECT * FROM unnest(${HOST_TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS i(part, host, next_request_at, back_off_until, back_off_step, paused, visit_price) ORDER BY 1, 2
  ON CONFLICT (part, host) DO UPDATE SET next_request_at = greatest(host.next_request_at, excluded.next_request_at),
    back_off_until = greatest(host.back_off_until, excluded.back_off_until), back_off_step = excluded.back_off_step, paused = excluded.paused,
    visit_price = excluded.visit_price`;

const PUT_SETTING = `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Hosts, ledger and settings in PostgreSQL. */
export class PostgresRecords {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async loadHosts(hostKeys: readonly string[]): Promise<HostRecord[]> {
    const sql = `SELECT h.* FROM unnest($1::int2[], $2::text[]) AS i(part, host) JOIN host h ON h.part = i.part AND h.host = i.host`;
    const rows = await this.#pool.rows<StoredHost>(sql, [hostKeys.map(computePartition), [...hostKeys]], 'load-hosts');
    return rows.map(toHost);
  }

  async saveHosts(hosts: readonly HostRecord[]): Promise<void> {
    const rows = new Map(hosts.map((host) => [host.hostKey, [computePartition(host.hostKey), ...toHostValues(host)]]));
    await this.#pool.rows(SAVE_HOSTS, toColumns([...rows.values()], HOST_TYPES.length), 'save-hosts');
  }

  saveOrders(entries: readonly LedgerEntry[]): Promise<void> {
    return saveOrders(this.#pool, entries);
  }

  async deleteOrders(ids: readonly number[]): Promise<number> {
    return (await this.#pool.rows('DELETE FROM push_order WHERE id = ANY ($1::int8[]) RETURNING id', [[...ids]]))
      .length;
  }

  async getLastOrderId(): Promise<number> {
    const [row] = await this.#pool.rows<{ block: number }>(`SELECT nextval('order_block') AS block`);
    return row!.block * ORDER_BLOCK_SIZE;
  }

  async putSetting(name: string, value: string | undefined): Promise<void> {
    if (value === undefined) await this.#pool.rows('DELETE FROM setting WHERE name = $1', [name]);
    else await this.#pool.rows(PUT_SETTING, [name, value]);
  }
}
