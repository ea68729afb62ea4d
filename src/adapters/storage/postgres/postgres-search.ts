import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { ERROR_CODES } from '../../../domain/fetch/error-codes.js';
import type { Instant } from '../../../domain/time/units.js';
import type {
  FolderStep,
  FrontierStore,
  SearchStep,
  SurveyStep,
  UrlFilter,
} from '../../../engine/ports/frontier-store.js';
import {
  buildFailingHostsQuery,
  buildFailingQuery,
  ERROR,
  type FailingDialect,
  type HostsPage,
  type Query,
} from '../shared/failing-sql.js';
import { buildCountedWhere, buildUrlWhere, findHost, LIKE } from '../shared/filter-sql.js';
import { computePartition, getPartition, PARTITIONS } from '../shared/partition.js';
import {
  ALL,
  FIRST_STRIDE,
  FolderTally,
  type MatchStep,
  type Progress,
  STEP_LIMITS,
  type StepLimits,
  SURVEY_COLUMNS,
  type SurveyRecord,
  SurveyTally,
} from '../shared/search.js';
import { toState, toStatusCode, URL_COLUMNS, type UrlRecord, type Value } from '../shared/url-row.js';
import { type PostgresPool, StatementTooLong } from './postgres-pool.js';
import { numberParameters } from './postgres-sql.js';

type Failing = Awaited<ReturnType<FrontierStore['countFailing']>>;
type FailingHosts = Awaited<ReturnType<FrontierStore['listFailingHosts']>>;
type Search = UrlFilter & { readonly crawler: string };

/** The rows of `url` that are searched: all at once if they are few, otherwise in strides by id. */
interface Candidates {
  readonly where: string;
  readonly values: readonly Value[];
  readonly few: boolean;
}

const FAILING: FailingDialect = {
  site: 'part, site_id',
  url: () => 'url',
  join: 's.part = g.part AND s.id = g.site_id',
};

/**
 * If all partitions are listed, an index whose first column is the partition can be used for a search by its next
 * column.
 */
const ALL_PARTS = `SELECT generate_series(0, ${PARTITIONS - 1})::int2`;

interface Taking<Row> {
  readonly after: UrlId;
  readonly limit: number;
  readonly take: (row: Row) => void;
}

type Reader<Row> = (after: UrlId, limit: number, stride?: number) => Promise<Row[]>;

const createProgress = (id: UrlId): Progress => ({ next: id, searched: getPartition(id) / PARTITIONS });

/** Resolves with undefined if the database has ended the statement, or throws if `must` is set. */
async function readInTime<Row>(rows: Promise<Row[]>, must = false): Promise<Row[] | undefined> {
  try {
    return await rows;
  } catch (error) {
    if (must || !(error instanceof StatementTooLong)) throw error;
    return undefined;
  }
}

/** Lists for people: as in SQLite, a few candidates are sorted, whereas many are walked through while there is time. */
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
    const collect = (row: UrlRecord): unknown => urls.push(toState(row));
    return { urls, ...(await this.#step(URL_COLUMNS, filter, { after, limit, take: collect })) };
  }

  async findMatches(filter: Search, after: UrlId, limit: number): Promise<MatchStep> {
    const ids: UrlId[] = [];
    const collect = ({ id }: Pick<UrlRecord, 'id'>): unknown => ids.push(id);
    return { ids, next: (await this.#step('u.id', filter, { after, limit, take: collect })).next };
  }

  async listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep> {
    const tally = new FolderTally(folder);
    const collect = ({ id, url }: Pick<UrlRecord, 'id' | 'url'>): void => tally.count(id, url);
    const filter = { crawler, hostKey, prefix: folder };
    const progress = await this.#step('u.id, u.url', filter, { after, limit: 2 ** 31, take: collect });
    return { ...tally.result, sample: await this.#get(tally.sample), ...progress };
  }

  async survey(crawler: string, since: readonly Instant[], after: UrlId): Promise<SurveyStep> {
    const tally = new SurveyTally(since);
    const collect = (row: SurveyRecord): void => tally.count(row);
    const progress = await this.#step(SURVEY_COLUMNS, { crawler }, { after, limit: 2 ** 31, take: collect });
    return { ...tally.result, ...progress };
  }

  countFailing(crawler: string, now: Instant, hostKey?: string): Promise<Failing> {
    return this.#queryRows(buildFailingQuery(FAILING, crawler, now, hostKey));
  }

  listFailingHosts(
    crawler: string,
    reason: string,
    now: Instant,
    after: HostsPage['after'],
    limit: number,
  ): Promise<FailingHosts> {
    return this.#queryRows(buildFailingHostsQuery(FAILING, crawler, reason, now, { after, limit }));
  }

  #queryRows<Row>({ sql, values }: Query): Promise<Row[]> {
    return this.#pool.rows<Row>(numberParameters(sql, 1), values);
  }

  async #step<Row extends Pick<UrlRecord, 'id'>>(
    columns: string,
    filter: Search,
    taking: Taking<Row>,
  ): Promise<Progress> {
    const { crawler, status, source, indexed } = filter;
    if ((await this.#readCounters({ crawler, status, source, indexed })) === 0) return ALL;
    const began = performance.now();
    const candidates = await this.#chooseCandidates(filter);
    if (candidates.few) {
      const found = await readInTime(this.#createReader<Row>(columns, filter, candidates)(taking.after, taking.limit));
      if (found) {
        found.forEach(taking.take);
        return found.length < taking.limit ? ALL : createProgress(found.at(-1)!.id);
      }
    }
    return this.#walk(
      this.#createReader<Row>(columns, filter, { ...candidates, few: false }),
      candidates,
      taking,
      began,
    );
  }

  /** Walks in strides, which grow while time is left and shrink after the database has ended one. */
  async #walk<Row extends Pick<UrlRecord, 'id'>>(
    read: Reader<Row>,
    candidates: Candidates,
    taking: Taking<Row>,
    began: number,
  ): Promise<Progress> {
    let at = taking.after;
    let room = taking.limit;
    let stride = Math.min(FIRST_STRIDE, this.#limits.stride);
    let moved = false;
    do {
      const found = await readInTime(read(at, room, stride), stride === 1);
      if (!found) {
        stride = Math.ceil(stride / 8);
        continue;
      }
      found.forEach(taking.take);
      room -= found.length;
      const end = room === 0 ? found.at(-1)!.id : await this.#findStrideEnd(candidates, at, stride);
      if (end === undefined) return ALL;
      at = end;
      moved = true;
      if (performance.now() < began + this.#limits.ms / 4) stride = Math.min(2 * stride, this.#limits.stride);
    } while (room > 0 && (!moved || performance.now() < began + this.#limits.ms));
    return createProgress(at);
  }

  /**
   * Reads the matching candidates after an id, among all of them or among those of the next stride. OFFSET 0 and LIMIT
   * make the database read the candidates in the given order before it examines the other conditions.
   */
  #createReader<Row>(columns: string, filter: Search, { where, values, few }: Candidates): Reader<Row> {
    const rest = buildUrlWhere(filter, LIKE);
    const buildSql = (
      stride: number,
    ): string => `SELECT ${columns} FROM (SELECT * FROM url WHERE ${numberParameters(where, 4)} AND (part, id) > ($1, $2)
      ${few ? 'OFFSET 0' : `ORDER BY part, id LIMIT ${stride}`}) u JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${numberParameters(rest.sql, 4 + values.length)} ORDER BY u.part, u.id LIMIT $3`;
    return (after, limit, stride = 0) =>
      this.#pool.rows<Row>(buildSql(stride), [getPartition(after), after, limit, ...values, ...rest.values]);
  }

  /** Finds the last candidate of the stride after an id; undefined if there are no further strides. */
  async #findStrideEnd({ where, values }: Candidates, after: UrlId, stride: number): Promise<UrlId | undefined> {
    const [row] = await this.#pool.rows<{ id: UrlId }>(
      `SELECT id FROM url WHERE ${numberParameters(where, 3)} AND (part, id) > ($1, $2) ORDER BY part, id
       OFFSET ${stride - 1} LIMIT 1`,
      [getPartition(after), after, ...values],
    );
    return row?.id;
  }

  async #chooseCandidates(filter: Search): Promise<Candidates> {
    const { crawler, status, reason, source } = filter;
    const host = findHost(filter);
    if (host !== undefined) return this.#chooseHostCandidates(crawler, host);
    const most = this.#limits.few;
    if (reason !== undefined && (status === 'error' || Object.hasOwn(ERROR_CODES, reason))) {
      const where = `status = ${ERROR} AND reason = ?`;
      if ((await this.#countUpToLimit(`url WHERE ${where}`, [reason])) <= most)
        return { where, values: [reason], few: true };
    }
    if (status !== undefined) {
      const urls = await this.#readCounters({ status });
      const where = `status = ${toStatusCode(status)}`;
      if (urls <= most) return { where, values: [], few: true };
      if (2 * urls < (await this.#readCounters({}))) return { where, values: [], few: false };
    }
    if (source === undefined || (await this.#readCounters({ source })) > most)
      return { where: 'true', values: [], few: false };
    return { where: `source = ${source} AND part = ANY (ARRAY(${ALL_PARTS}))`, values: [], few: true };
  }

  async #chooseHostCandidates(crawler: string, host: string): Promise<Candidates> {
    const [site] = await this.#pool.rows<{ id: number; urls: number }>(
      'SELECT id, urls FROM site WHERE part = $1 AND crawler = $2 AND host = $3',
      [computePartition(host), crawler, host],
    );
    const few = (site?.urls ?? 0) <= this.#limits.few;
    return { where: 'part = ? AND site_id = ?', values: [computePartition(host), site?.id ?? 0], few };
  }

  /** Counts the rows, but only as far as the number matters. */
  async #countUpToLimit(rows: string, values: readonly Value[] = []): Promise<number> {
    const sql = `SELECT count(*) AS number FROM (SELECT 1 FROM ${rows} LIMIT ${this.#limits.few + 1}) r`;
    return (await this.#pool.rows<{ number: number }>(numberParameters(sql, 1), values))[0]!.number;
  }

  async #readCounters(filter: UrlFilter): Promise<number> {
    const { sql, values } = buildCountedWhere(filter)!;
    return (await this.#pool.rows<{ urls: number }>(numberParameters(sql, 1), values as Value[]))[0]!.urls;
  }
}
