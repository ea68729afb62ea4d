import type { UrlState } from '../../../domain/crawl/url-state.js';
import { toState, type UrlRecord } from '../shared/url-row.js';
import type { Connection, PostgresPool } from './postgres-pool.js';
import { SELECT_URL } from './postgres-sql.js';

type ReservedConnection = Connection & { readonly release: () => void };

/**
 * The ids of a crawler's URLs in the order of the URLs. There is no index on the text of URLs (it would be the largest
 * of all), so the first page sorts them into a temporary table, from which the next pages are read; URLs that are added
 * in the meantime are left out, and so are those that are deleted. The tables belong to a connection that is kept until
 * the last page of every crawler has been read.
 */
export class PostgresSortedUrls {
  readonly #pool: PostgresPool;
  #connection: ReservedConnection | undefined;
  /** The table of each crawler whose last page has not been read. */
  readonly #tables = new Map<string, string>();
  #createdCount = 0;
  /** Resolves when the latest page has been read: pages are read one at a time. */
  #latestPage: Promise<unknown> = Promise.resolve();
  /** The process of the database that sorts. */
  #sorter: number | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  getPage(crawler: string, after: string | undefined, limit: number): Promise<UrlState[]> {
    const page = this.#latestPage.then(() => this.#readPage(crawler, after, limit));
    this.#latestPage = page.catch(() => this.#dropTables([...this.#tables.keys()])).catch(() => {});
    return page;
  }

  /** Sorting takes minutes if there are many URLs, so it is canceled. */
  async close(): Promise<void> {
    if (this.#sorter !== undefined) await this.#pool.rows('SELECT pg_cancel_backend($1)', [this.#sorter]);
    await this.#latestPage;
    await this.#dropTables([...this.#tables.keys()]);
  }

  async #readPage(crawler: string, after: string | undefined, limit: number): Promise<UrlState[]> {
    if (after === undefined || !this.#tables.has(crawler)) await this.#sortUrls(crawler);
    const sql = buildPageSql(this.#tables.get(crawler)!);
    const rows = await this.#connection!.rows<UrlRecord>(sql, [after ?? '', limit]);
    if (rows.length < limit) await this.#dropTables([crawler]);
    return rows.map(toState);
  }

  async #sortUrls(crawler: string): Promise<void> {
    await this.#dropTables([crawler]);
    this.#connection ??= await this.#pool.reserveConnection();
    const table = `by_url_${this.#createdCount++}`;
    this.#tables.set(crawler, table);
    try {
      const [sorter] = await this.#connection.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      this.#sorter = sorter!.pid;
      await createSortedTable(this.#connection, table, crawler);
    } finally {
      this.#sorter = undefined;
    }
  }

  async #dropTables(crawlers: readonly string[]): Promise<void> {
    const tables = crawlers.flatMap((crawler) => this.#tables.get(crawler) ?? []);
    const connection = this.#connection;
    if (!connection || tables.length === 0) return;
    for (const crawler of crawlers) this.#tables.delete(crawler);
    const isLast = this.#tables.size === 0;
    if (isLast) this.#connection = undefined;
    await connection.rows(`DROP TABLE IF EXISTS ${tables.join(', ')}`).finally(() => isLast && connection.release());
  }
}

/** OFFSET 0 has the database look up one URL after the other: it would join all of them, and sort them, for each page. */
const buildPageSql = (table: string): string => `SELECT x.* FROM (SELECT * FROM ${table} WHERE url > $1 ORDER BY url) b
  CROSS JOIN LATERAL (${SELECT_URL} WHERE u.part = b.part AND u.id = b.id OFFSET 0) x ORDER BY b.url LIMIT $2`;

async function createSortedTable(connection: Connection, table: string, crawler: string): Promise<void> {
  await connection.rows(
    `CREATE TEMP TABLE ${table} (url text COLLATE "C" NOT NULL, part smallint NOT NULL, id bigint NOT NULL)`,
  );
  await connection.rows(
    `INSERT INTO ${table} SELECT u.url, u.part, u.id FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
     WHERE s.crawler = $1 ORDER BY u.url`,
    [crawler],
  );
  await connection.rows(`CREATE INDEX ON ${table} (url)`);
  await connection.rows(`ANALYZE ${table}`);
}
