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
