import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import type { Instant } from '../../domain/time/units.js';
import type { FolderStep, FrontierStore, SearchStep, UrlFilter } from '../../engine/ports/frontier-store.js';
import {
  ERROR,
  type FailingDialect,
  failingHostsQuery,
  failingQuery,
  type HostsPage,
  type Query,
} from './failing-sql.js';
import { countedWhere, hostOf, LIKE, urlWhere } from './filter-sql.js';
import { PARTITIONS, partitionOf, partitionOfId } from './partition.js';
import type { PostgresPool } from './postgres-pool.js';
import { numbered } from './postgres-sql.js';
import { ALL, FolderTally, type Progress, STEP_LIMITS, type StepLimits } from './search.js';
import { statusCode, toState, URL_COLUMNS, type UrlRecord, type Value } from './url-row.js';

type Failing = Awaited<ReturnType<FrontierStore['failing']>>;
type FailingHosts = Awaited<ReturnType<FrontierStore['failingHosts']>>;
type Search = UrlFilter & { readonly crawler: string };

/** Rows of `url` among which is searched: all of them at once when they are few, else in strides by id. */
interface Candidates {
  readonly where: string;
  readonly values: readonly Value[];
  readonly few: boolean;
}

const FAILING: FailingDialect = {
  site: 'part, site_id',
  url: 'url',
  join: 's.part = g.part AND s.id = g.site_id',
};

/** With all of them named, an index whose first column is the partition leads to what its next column says. */
const ALL_PARTS = `SELECT generate_series(0, ${PARTITIONS - 1})::int2`;

interface Taking<Row> {
  readonly after: UrlId;
  readonly limit: number;
  readonly take: (row: Row) => void;
}

/** Lists for a person: as in SQLite, few candidates are sorted and many are walked through while there is time. */
export class PostgresSearch {
  readonly #pool: PostgresPool;
  readonly #limits: StepLimits;
  readonly #get: (ids: readonly UrlId[]) => Promise<UrlState[]>;

  constructor(pool: PostgresPool, get: (ids: readonly UrlId[]) => Promise<UrlState[]>, limits = STEP_LIMITS) {
    this.#pool = pool;
    this.#limits = limits;
    this.#get = get;
  }

  async search(filter: Search, after: UrlId, limit: number): Promise<SearchStep> {
    const urls: UrlState[] = [];
    const take = (row: UrlRecord): unknown => urls.push(toState(row));
    return { urls, ...(await this.#step(URL_COLUMNS, filter, { after, limit, take })) };
  }

  async folders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep> {
    const tally = new FolderTally(folder);
    const take = ({ id, url }: Pick<UrlRecord, 'id' | 'url'>): void => tally.count(id, url);
    const filter = { crawler, hostKey, prefix: folder };
    const progress = await this.#step('u.id, u.url', filter, { after, limit: 2 ** 31, take });
    return { ...tally.result, sample: await this.#get(tally.sample), ...progress };
  }

  failing(crawler: string, now: Instant, hostKey?: string): Promise<Failing> {
    return this.#rows(failingQuery(FAILING, crawler, now, hostKey));
  }

  failingHosts(
    crawler: string,
    reason: string,
    now: Instant,
    after: HostsPage['after'],
    limit: number,
  ): Promise<FailingHosts> {
    return this.#rows(failingHostsQuery(FAILING, crawler, reason, now, { after, limit }));
  }

  #rows<Row>({ sql, values }: Query): Promise<Row[]> {
    return this.#pool.rows<Row>(numbered(sql, 1), values);
  }

  async #step<Row extends Pick<UrlRecord, 'id'>>(
    columns: string,
    filter: Search,
    taking: Taking<Row>,
  ): Promise<Progress> {
    const { crawler, status, source, indexed } = filter;
    if ((await this.#counted({ crawler, status, source, indexed })) === 0) return ALL;
    const candidates = await this.#candidates(filter);
    const read = this.#reader<Row>(columns, filter, candidates);
    const deadline = performance.now() + this.#limits.ms;
    let at = taking.after;
    let room = taking.limit;
    for (;;) {
      const found = await read(at, room);
      found.forEach(taking.take);
      room -= found.length;
      const end = room === 0 ? found.at(-1)!.id : await this.#strideEnd(candidates, at);
      if (end === undefined) return ALL;
      at = end;
      if (room === 0 || performance.now() >= deadline) return { next: at, searched: partitionOfId(at) / PARTITIONS };
    }
  }

  /**
   * What matches among the candidates after an id: among all of them, or among those of the next stride. OFFSET 0 and LIMIT
   * make the database read the candidates as they are told here, before it looks at the rest.
   */
  #reader<Row>(
    columns: string,
    filter: Search,
    { where, values, few }: Candidates,
  ): (after: UrlId, limit: number) => Promise<Row[]> {
    const rest = urlWhere(filter, LIKE);
    const sql = `SELECT ${columns} FROM (SELECT * FROM url WHERE ${numbered(where, 4)} AND (part, id) > ($1, $2)
      ${few ? 'OFFSET 0' : `ORDER BY part, id LIMIT ${this.#limits.stride}`}) u JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${numbered(rest.sql, 4 + values.length)} ORDER BY u.part, u.id LIMIT $3`;
    return (after, limit) => this.#pool.rows<Row>(sql, [partitionOfId(after), after, limit, ...values, ...rest.values]);
  }

  /** The last candidate of the stride after an id; undefined when there are no further strides. */
  async #strideEnd({ where, values, few }: Candidates, after: UrlId): Promise<UrlId | undefined> {
    if (few) return undefined;
    const [row] = await this.#pool.rows<{ id: UrlId }>(
      `SELECT id FROM url WHERE ${numbered(where, 3)} AND (part, id) > ($1, $2) ORDER BY part, id
       OFFSET ${this.#limits.stride - 1} LIMIT 1`,
      [partitionOfId(after), after, ...values],
    );
    return row?.id;
  }

  async #candidates(filter: Search): Promise<Candidates> {
    const { crawler, status, reason, source } = filter;
    const host = hostOf(filter);
    if (host !== undefined) return this.#ofHost(crawler, host);
    const most = this.#limits.few;
    if (reason !== undefined && (status === 'error' || Object.hasOwn(ERROR_CODES, reason))) {
      const where = `status = ${ERROR} AND reason = ?`;
      if ((await this.#atMost(`url WHERE ${where}`, [reason])) <= most) return { where, values: [reason], few: true };
    }
    if (status !== undefined) {
      const urls = await this.#counted({ status });
      const where = `status = ${statusCode(status)}`;
      if (urls <= most) return { where, values: [], few: true };
      if (2 * urls < (await this.#counted({}))) return { where, values: [], few: false };
    }
    if (source === undefined || (await this.#counted({ source })) > most)
      return { where: 'true', values: [], few: false };
    return { where: `source = ${source} AND part = ANY (ARRAY(${ALL_PARTS}))`, values: [], few: true };
  }

  async #ofHost(crawler: string, host: string): Promise<Candidates> {
    const [site] = await this.#pool.rows<{ id: number; urls: number }>(
      'SELECT id, urls FROM site WHERE part = $1 AND crawler = $2 AND host = $3',
      [partitionOf(host), crawler, host],
    );
    const few = (site?.urls ?? 0) <= this.#limits.few;
    return { where: 'part = ? AND site_id = ?', values: [partitionOf(host), site?.id ?? 0], few };
  }

  /** The number of rows, as far as it matters. */
  async #atMost(rows: string, values: readonly Value[] = []): Promise<number> {
    const sql = `SELECT count(*) AS number FROM (SELECT 1 FROM ${rows} LIMIT ${this.#limits.few + 1}) r`;
    return (await this.#pool.rows<{ number: number }>(numbered(sql, 1), values))[0]!.number;
  }

  async #counted(filter: UrlFilter): Promise<number> {
    const { sql, values } = countedWhere(filter)!;
    return (await this.#pool.rows<{ urls: number }>(numbered(sql, 1), values as Value[]))[0]!.urls;
  }
}
