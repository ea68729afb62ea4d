import { computePartition } from '../shared/partition.js';
import type { Connection } from './postgres-pool.js';
import { ADD_SITES, SITES, toColumns } from './postgres-sql.js';

/** Maximum number of sites in memory; beyond that, the cache is cleared. */
const REMEMBERED = 100_000;

export interface Site {
  readonly part: number;
  readonly id: number;
}

type Named = { readonly crawler: string; readonly hostKey: string };

const siteName = ({ crawler, hostKey }: Named): string => `${crawler}\n${hostKey}`;

/** Caches the small ids of (crawler, host), because every link needs one. A site is never deleted. */
export class PostgresSites {
  readonly #connection: Connection;
  readonly #known = new Map<string, Site>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async find(named: Named): Promise<Site | undefined> {
    await this.#load([named]);
    return this.#known.get(siteName(named));
  }

  /** Returns the sites in the given order; new ones are stored. */
  async findOrAdd(named: readonly Named[]): Promise<Site[]> {
    if (this.#known.size > REMEMBERED) this.#known.clear();
    const missing = await this.#load(named);
    if (missing.length > 0) {
      const rows = missing.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
      await this.#connection.rows(ADD_SITES, toColumns(rows, 3));
      await this.#load(missing);
    }
    return named.map((each) => this.#known.get(siteName(each))!);
  }

  /** Loads sites and returns those that are not stored yet. */
  async #load(named: readonly Named[]): Promise<Named[]> {
    const wanted = [...new Map(named.map((each) => [siteName(each), each])).values()];
    const unknown = wanted.filter((each) => !this.#known.has(siteName(each)));
    if (unknown.length === 0) return [];
    const rows = unknown.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
    for (const { n, id } of await this.#connection.rows<{ n: number; id: number }>(SITES, toColumns(rows, 3))) {
      const each = unknown[n - 1]!;
      this.#known.set(siteName(each), { part: computePartition(each.hostKey), id });
    }
    return unknown.filter((each) => !this.#known.has(siteName(each)));
  }
}
