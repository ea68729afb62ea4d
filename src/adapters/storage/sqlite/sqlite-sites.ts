import { SOURCES } from '../../../domain/frontier/sources.js';
import { groupCounters, type SiteChange } from '../shared/tally.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

/** Maximum number of sites in memory; beyond that, the cache is cleared. */
const MAX_CACHED_SITES = 100_000;

/** Caches the small ids of (crawler, host), because every link needs one. */
export class SqliteSites {
  readonly #ids = new Map<string, number>();
  readonly #crawlers = new Map<number, string>();
  readonly #selectId;
  readonly #selectCrawler;
  readonly #insert;

  constructor(db: Handle) {
    this.#selectId = prepareOnce<[string, string], number>(
      db,
      'SELECT id FROM site WHERE crawler = ? AND host = ?',
    ).pluck();
    this.#selectCrawler = prepareOnce<[number], string>(db, 'SELECT crawler FROM site WHERE id = ?').pluck();
    this.#insert = prepareOnce<[string, string]>(db, 'INSERT INTO site (crawler, host) VALUES (?, ?)');
  }

  findId(crawler: string, hostKey: string): number | undefined {
    const cacheKey = `${crawler}\n${hostKey}`;
    let id = this.#ids.get(cacheKey);
    if (id === undefined) {
      id = this.#selectId.get(crawler, hostKey);
      if (this.#ids.size >= MAX_CACHED_SITES) this.#ids.clear();
      if (id !== undefined) this.#ids.set(cacheKey, id);
    }
    return id;
  }

  findOrAddId(crawler: string, hostKey: string): number {
    return this.findId(crawler, hostKey) ?? Number(this.#insert.run(crawler, hostKey).lastInsertRowid);
  }

  getCrawler(site: number): string {
    let crawler = this.#crawlers.get(site);
    if (crawler === undefined) {
      crawler = this.#selectCrawler.get(site) ?? '';
      if (this.#crawlers.size >= MAX_CACHED_SITES) this.#crawlers.clear();
      this.#crawlers.set(site, crawler);
    }
    return crawler;
  }

  /** Must be called after a transaction was rolled back, because that also removed new sites. */
  clearCache(): void {
    this.#ids.clear();
    this.#crawlers.clear();
  }
}

/** Source and earliest due time of the queued URLs of one site, with one index probe per source. */
export const EARLIEST_BY_SOURCE = SOURCES.map(
  (_, source) =>
    `SELECT ${source} AS source, min(due_at) AS due_at FROM url WHERE site_id = @site AND source = ${source}`,
).join(' UNION ALL ');

/** Earliest due time of the queued URLs of one site: probes in a loop cost half as much as the union. */
const EARLIEST = `SELECT min(due_at) FROM (SELECT (SELECT due_at FROM url WHERE site_id = @site AND source = sources.column1
    ORDER BY due_at LIMIT 1) AS due_at FROM (VALUES ${SOURCES.map((_, source) => `(${source})`).join(', ')}) AS sources)`;

/** The earliest due time follows from what was added and removed, unless a removed one may have been the earliest. */
const NEXT_DUE = `CASE
  WHEN @went <= coalesce(min(next_due_at, @came), next_due_at, @came, @went) THEN (${EARLIEST})
  ELSE coalesce(min(next_due_at, @came), next_due_at, @came) END`;

/**
 * Creates a function that writes a tally's sums to `counter` and `site`; it must be called at the end of the
 * transaction.
 */
export function createCounterWriter(
  db: Handle,
  getCrawler: (site: number) => string,
): (changes: readonly SiteChange[]) => void {
  const updateSite = prepareOnce(
    db,
    `UPDATE site SET urls = urls + @urls, indexed = indexed + @indexed, errors = errors + @errors,
       queued = queued + @queued, next_due_at = ${NEXT_DUE} WHERE id = @site`,
  );
  const updateCounter = prepareOnce(
    db,
    `INSERT INTO counter (crawler, status, source, indexed, urls) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET urls = urls + excluded.urls`,
  );
  return (changes) => {
    for (const { site, urls, indexed, errors, queued, earliestAdded: came, earliestRemoved: went } of changes)
      updateSite.run({ site, urls, indexed, errors, queued, came, went });
    for (const [crawler, counters] of groupCounters(changes, getCrawler))
      for (const { status, source, indexed, urls } of counters)
        updateCounter.run(crawler, status, source, indexed, urls);
  };
}
