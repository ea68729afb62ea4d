import type { UrlState } from '../../../domain/crawl/url-state.js';
import { toState, type UrlRecord } from '../shared/url-row.js';
import type { Connection, PostgresPool } from './postgres-pool.js';
import { SELECT_URL } from './postgres-sql.js';

type ReservedConnection = Connection & { readonly release: () => void };

interface SortedTable {
  readonly crawler: string;
  readonly connection: ReservedConnection;
}

/**
 * The ids of a crawler's URLs in the order of the URLs. There is no index on the text of URLs (it would be the largest
 * of all), so the first page sorts them into a temporary table, from which the next pages are read; URLs that are added
 * in the meantime are left out, and so are those that are deleted. The table belongs to a connection that is kept until the last page has been read, or
 * until another walk begins.
 */
export class PostgresSortedUrls {
  readonly #pool: PostgresPool;
  #sortedTable: SortedTable | undefined;
  /** Resolves when the latest page has been read: pages are read one at a time. */
  #latestPage: Promise<unknown> = Promise.resolve();
  /** The process of the database that sorts. */
  #sorter: number | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  getPage(crawler: string, after: string | undefined, limit: number): Promise<UrlState[]> {
    const page = this.#latestPage.then(() => this.#readPage(crawler, after, limit));
    this.#latestPage = page.catch(() => {});
    return page;
  }

  /** Sorting takes minutes if there are many URLs, so it is canceled. */
  async close(): Promise<void> {
    if (this.#sorter !== undefined) await this.#pool.rows('SELECT pg_cancel_backend($1)', [this.#sorter]);
    await this.#latestPage;
    await this.#dropSorted();
  }

  async #readPage(crawler: string, after: string | undefined, limit: number): Promise<UrlState[]> {
    if (after === undefined || this.#sortedTable?.crawler !== crawler) await this.#sortUrls(crawler);
    const { connection } = this.#sortedTable!;
    const rows = await connection.rows<UrlRecord>(PAGE, [after ?? '', limit]);
    if (rows.length < limit) await this.#dropSorted();
    return rows.map(toState);
  }

  async #sortUrls(crawler: string): Promise<void> {
    await this.#dropSorted();
    const connection = await this.#pool.reserveConnection();
    try {
      const [sorter] = await connection.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      this.#sorter = sorter!.pid;
      await createSortedTable(connection, crawler);
    } catch (error) {
      await dropTableAndRelease(connection).catch(() => undefined);
      throw error;
    } finally {
      this.#sorter = undefined;
    }
    this.#sortedTable = { crawler, connection };
  }

  async #dropSorted(): Promise<void> {
    const sortedTable = this.#sortedTable;
    this.#sortedTable = undefined;
    if (sortedTable) await dropTableAndRelease(sortedTable.connection);
  }
}

/** OFFSET 0 has the database look up one URL after the other: it would join all of them, and sort them, for each page. */
const PAGE = `SELECT x.* FROM (SELECT * FROM by_url WHERE url > $1 ORDER BY url) b
  CROSS JOIN LATERAL (${SELECT_URL} WHERE u.part = b.part AND u.id = b.id OFFSET 0) x ORDER BY b.url LIMIT $2`;

async function createSortedTable(connection: ReservedConnection, crawler: string): Promise<void> {
  await connection.rows(
    'CREATE TEMP TABLE by_url (url text COLLATE "C" NOT NULL, part smallint NOT NULL, id bigint NOT NULL)',
  );
  await connection.rows(
    `INSERT INTO by_url SELECT u.url, u.part, u.id FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
     WHERE s.crawler = $1 ORDER BY u.url`,
    [crawler],
  );
  await connection.rows('CREATE INDEX by_url_url ON by_url (url)');
  await connection.rows('ANALYZE by_url');
}

const dropTableAndRelease = (connection: ReservedConnection): Promise<unknown> =>
  connection.rows('DROP TABLE IF EXISTS by_url').finally(() => connection.release());
