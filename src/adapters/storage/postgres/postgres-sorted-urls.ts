import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { Connection, PostgresPool } from './postgres-pool.js';

type ReservedConnection = Connection & { readonly release: () => void };

interface Sorted {
  readonly crawler: string;
  readonly connection: ReservedConnection;
}

/**
 * The ids of a crawler's URLs in the order of the URLs. There is no index on the text of URLs (it would be the largest
 * of all), so the first page sorts them into a temporary table, from which the next pages are read; URLs that are added
 * in the meantime are not seen. The table belongs to a connection that is kept until the last page, or until another
 * walk begins.
 */
export class PostgresSortedUrls {
  readonly #pool: PostgresPool;
  #sorted: Sorted | undefined;
  /** Walks take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  getPage(crawler: string, after: string | undefined, limit: number): Promise<UrlId[]> {
    const page = this.#turn.then(() => this.#readPage(crawler, after, limit));
    this.#turn = page.catch(() => {});
    return page;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#drop();
  }

  async #readPage(crawler: string, after: string | undefined, limit: number): Promise<UrlId[]> {
    if (after === undefined || this.#sorted?.crawler !== crawler) await this.#sort(crawler);
    const { connection } = this.#sorted!;
    const rows = await connection.rows<{ id: UrlId }>('SELECT id FROM by_url WHERE url > $1 ORDER BY url LIMIT $2', [
      after ?? '',
      limit,
    ]);
    if (rows.length < limit) await this.#drop();
    return rows.map(({ id }) => id);
  }

  async #sort(crawler: string): Promise<void> {
    await this.#drop();
    const connection = await this.#pool.reserveConnection();
    try {
      await fillTable(connection, crawler);
    } catch (error) {
      await dropTable(connection).catch(() => undefined);
      throw error;
    }
    this.#sorted = { crawler, connection };
  }

  async #drop(): Promise<void> {
    const sorted = this.#sorted;
    this.#sorted = undefined;
    if (sorted) await dropTable(sorted.connection);
  }
}

async function fillTable(connection: ReservedConnection, crawler: string): Promise<void> {
  await connection.rows('CREATE TEMP TABLE by_url (url text COLLATE "C" NOT NULL, id bigint NOT NULL)');
  await connection.rows(
    `INSERT INTO by_url SELECT u.url, u.id FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
     WHERE s.crawler = $1 ORDER BY u.url`,
    [crawler],
  );
  await connection.rows('CREATE INDEX by_url_url ON by_url (url)');
}

const dropTable = (connection: ReservedConnection): Promise<unknown> =>
  connection.rows('DROP TABLE IF EXISTS by_url').finally(() => connection.release());
