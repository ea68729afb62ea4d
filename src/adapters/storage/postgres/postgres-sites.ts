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

  constructor(
    connection: Connection,
    private readonly maxCached = MAX_CACHED_SITES,
  ) {
    this.#connection = connection;
  }

  async find(siteKey: SiteKey): Promise<Site | undefined> {
    return (await this.#load([siteKey])).get(toCacheKey(siteKey));
  }

  /** Returns the sites in the given order, storing new ones. */
  async findOrAdd(siteKeys: readonly SiteKey[]): Promise<Site[]> {
    if (this.#cachedSites.size > this.maxCached) this.#cachedSites.clear();
    const sites = await this.#load(siteKeys);
    const missingKeys = siteKeys.filter((siteKey) => !sites.has(toCacheKey(siteKey)));
    if (missingKeys.length > 0) {
      const rows = missingKeys.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
      await this.#connection.rows(ADD_SITES, toColumns(rows, 3), 'add-sites');
      for (const [cacheKey, site] of await this.#load(missingKeys)) sites.set(cacheKey, site);
    }
    return siteKeys.map((siteKey) => sites.get(toCacheKey(siteKey))!);
  }

  /** Finds the sites that are stored, and caches them. Another call may clear the cache before this one has ended. */
  async #load(siteKeys: readonly SiteKey[]): Promise<Map<string, Site>> {
    const sites = new Map<string, Site>();
    const uncachedKeys = new Map<string, SiteKey>();
    for (const siteKey of siteKeys) {
      const cacheKey = toCacheKey(siteKey);
      const cachedSite = this.#cachedSites.get(cacheKey);
      if (cachedSite) sites.set(cacheKey, cachedSite);
      else uncachedKeys.set(cacheKey, siteKey);
    }
    if (uncachedKeys.size === 0) return sites;
    const keys = [...uncachedKeys.values()];
    const rows = keys.map(({ crawler, hostKey }) => [computePartition(hostKey), crawler, hostKey]);
    const stored = await this.#connection.rows<{ n: number; id: number }>(SITES, toColumns(rows, 3), 'sites');
    for (const { n, id } of stored) {
      const siteKey = keys[n - 1]!;
      const site = { part: computePartition(siteKey.hostKey), id };
      this.#cachedSites.set(toCacheKey(siteKey), site);
      sites.set(toCacheKey(siteKey), site);
    }
    return sites;
  }
}
