import { computePartition } from '../shared/partition.js';
import type { Connection } from './postgres-pool.js';
import { ADD_SITES, SITES, toColumns } from './postgres-sql.js';

/** Maximum number of sites in memory; beyond that, the cache is cleared. */
const MAX_CACHED_SITES = 100_000;

export interface Site {
  readonly part: number;
  readonly id: number;
}

type SiteKey = { readonly crawler: string; readonly hostKey: string };

const toCacheKey = ({ crawler, hostKey }: SiteKey): string => `${crawler}\n${hostKey}`;

/** Caches the small ids of (crawler, host), because every link needs one. A site is never deleted. */
export class PostgresSites {
  readonly #connection: Connection;
  readonly #cachedSites = new Map<string, Site>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async find(siteKey: SiteKey): Promise<Site | undefined> {
    await this.#load([siteKey]);
    return this.#cachedSites.get(toCacheKey(siteKey));
  }

  /** Returns the sites in the given order, storing new ones. */
  async findOrAdd(siteKeys: readonly SiteKey[]): Promise<Site[]> {
    if (this.#cachedSites.size > MAX_CACHED_SITES) this.#cachedSites.clear();
    const missingKeys = await this.#load(siteKeys);
    if (missingKeys.length > 0) {
      const rows = missingKeys.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
      await this.#connection.rows(ADD_SITES, toColumns(rows, 3));
      await this.#load(missingKeys);
    }
    return siteKeys.map((siteKey) => this.#cachedSites.get(toCacheKey(siteKey))!);
  }

  /** Loads sites into the cache and returns those that are not stored yet. */
  async #load(siteKeys: readonly SiteKey[]): Promise<SiteKey[]> {
    const uniqueKeys = [...new Map(siteKeys.map((siteKey) => [toCacheKey(siteKey), siteKey])).values()];
    const uncachedKeys = uniqueKeys.filter((siteKey) => !this.#cachedSites.has(toCacheKey(siteKey)));
    if (uncachedKeys.length === 0) return [];
    const rows = uncachedKeys.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
    for (const { n, id } of await this.#connection.rows<{ n: number; id: number }>(SITES, toColumns(rows, 3))) {
      const siteKey = uncachedKeys[n - 1]!;
      this.#cachedSites.set(toCacheKey(siteKey), { part: computePartition(siteKey.hostKey), id });
    }
    return uncachedKeys.filter((siteKey) => !this.#cachedSites.has(toCacheKey(siteKey)));
  }
}
