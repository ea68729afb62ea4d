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
import { buildCounterQuery, buildUrlWhere, findHost, LIKE } from '../shared/filter-sql.js';
import { computePartition, getPartition, PARTITIONS } from '../shared/partition.js';
import {
  COMPLETE,
  FIRST_STRIDE,
  type MatchStep,
  type Progress,
  type Search,
  type SearchFilter,
  STEP_LIMITS,
  type StepLimits,
  searchFolder,
  searchIds,
  searchUrls,
  surveyUrls,
} from '../shared/search.js';
import { toStatusCode, type UrlRecord, type Value } from '../shared/url-row.js';
import { type PostgresPool, StatementTooLong } from './postgres-pool.js';
import { numberParameters } from './postgres-sql.js';

type FailingCounts = Awaited<ReturnType<FrontierStore['countFailing']>>;
type FailingHosts = Awaited<ReturnType<FrontierStore['listFailingHosts']>>;

/** The rows of `url` that are searched: all at once if they are few, otherwise in strides by id. */
interface Candidates {
  readonly where: string;
  readonly values: readonly Value[];
  readonly isSmallSet: boolean;
}

const FAILING: FailingDialect = {
  siteColumns: 'part, site_id',
  getUrlTable: () => 'url',
  joinCondition: 's.part = g.part AND s.id = g.site_id',
};

/**
 * Lists all partitions, so that an index whose first column is the partition can be used for a search by its second
 * column.
 */
const ALL_PARTS = `SELECT generate_series(0, ${PARTITIONS - 1})::int2`;

/** Reads matching candidates after an id, in order: of all of them, or of the next stride. */
interface Reader<Row> {
  readonly readAll: (after: UrlId, limit: number) => Promise<Row[]>;
  /** Also finds the last candidate of the stride; undefined if there are no further strides. */
  readonly readStride: (after: UrlId, limit: number, stride: number) => Promise<{ found: Row[]; end?: UrlId }>;
}

const createProgress = (id: UrlId): Progress => ({ next: id, searched: getPartition(id) / PARTITIONS });

/** Resolves with undefined if the statement exceeded its time limit; if its result is required, throws instead. */
async function readUnlessTimedOut<Result>(result: Promise<Result>, isRequired = false): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isRequired || !(error instanceof StatementTooLong)) throw error;
    return undefined;
  }
}

/** User searches: as with SQLite, a few candidates are sorted, but many are walked through until the time is up. */
export class PostgresSearch {
  readonly #pool: PostgresPool;
  readonly #limits: StepLimits;
  readonly #getStates: (ids: readonly UrlId[]) => Promise<UrlState[]>;

  constructor(pool: PostgresPool, getStates: (ids: readonly UrlId[]) => Promise<UrlState[]>, limits = STEP_LIMITS) {
    this.#pool = pool;
    this.#limits = limits;
    this.#getStates = getStates;
  }

  search(filter: SearchFilter, after: UrlId, limit: number): Promise<SearchStep> {
    return this.#run(searchUrls(filter, limit), after);
  }

  findMatches(filter: SearchFilter, after: UrlId, limit: number): Promise<MatchStep> {
    return this.#run(searchIds(filter, limit), after);
  }

  async listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): Promise<FolderStep> {
    const { sample, ...step } = await this.#run(searchFolder(crawler, hostKey, folder), after);
    return { ...step, sample: await this.#getStates(sample) };
  }

  survey(crawler: string, since: readonly Instant[], after: UrlId): Promise<SurveyStep> {
    return this.#run(surveyUrls(crawler, since), after);
  }

  countFailing(crawler: string, now: Instant, hostKey?: string): Promise<FailingCounts> {
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

  async #run<Row extends Pick<UrlRecord, 'id'>, Result>(search: Search<Row, Result>, after: UrlId): Promise<Result> {
    const { crawler, status, source, indexed } = search.filter;
    const hasMatches = (await this.#readCounters({ crawler, status, source, indexed })) > 0;
    return search.finish(hasMatches ? await this.#runStep(search, after) : COMPLETE);
  }

  async #runStep<Row extends Pick<UrlRecord, 'id'>>(search: Search<Row, unknown>, after: UrlId): Promise<Progress> {
    const startedAt = performance.now();
    const candidates = await this.#chooseCandidates(search.filter);
    const { readAll, readStride } = this.#createReader<Row>(search, candidates);
    if (candidates.isSmallSet) {
      const found = await readUnlessTimedOut(readAll(after, search.limit));
      if (found) {
        found.forEach(search.onRow);
        return found.length < search.limit ? COMPLETE : createProgress(found.at(-1)!.id);
      }
    }
    return this.#walk(readStride, search, after, startedAt);
  }

  /** Walks in strides, which grow while time is left and shrink whenever the database has ended a statement. */
  async #walk<Row extends Pick<UrlRecord, 'id'>>(
    readStride: Reader<Row>['readStride'],
    { limit, onRow }: Search<Row, unknown>,
    after: UrlId,
    startedAt: number,
  ): Promise<Progress> {
    let position = after;
    let remaining = limit;
    let stride = Math.min(FIRST_STRIDE, this.#limits.stride);
    let hasMoved = false;
    do {
      const step = await readUnlessTimedOut(readStride(position, remaining, stride), stride === 1);
      if (!step) {
        stride = Math.ceil(stride / 8);
        continue;
      }
      step.found.forEach(onRow);
      remaining -= step.found.length;
      const end = remaining === 0 ? step.found.at(-1)!.id : step.end;
      if (end === undefined) return COMPLETE;
      position = end;
      hasMoved = true;
      if (performance.now() < startedAt + this.#limits.ms / 4) stride = Math.min(2 * stride, this.#limits.stride);
    } while (remaining > 0 && (!hasMoved || performance.now() < startedAt + this.#limits.ms));
    return createProgress(position);
  }

  /**
   * OFFSET 0 and LIMIT make the database read the candidates in the given order before it examines the other
   * conditions. One statement finds both the matches of a stride and its end: URLs that come or go between two would
   * move the end past others.
   */
  #createReader<Row extends Pick<UrlRecord, 'id'>>(
    { columns, filter }: Search<Row, unknown>,
    { where, values }: Candidates,
  ): Reader<Row> {
    const conditions = buildUrlWhere(filter, LIKE);
    const candidates = `FROM url WHERE ${numberParameters(where, 4)} AND (part, id) > ($1, $2)`;
    const buildMatchesSql = (
      order: string,
    ): string => `SELECT u.part, ${columns} FROM (SELECT * ${candidates} ${order}) u JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${numberParameters(conditions.sql, 4 + values.length)} ORDER BY u.part, u.id LIMIT $3`;
    const read = <Read>(sql: string, after: UrlId, limit: number): Promise<Read[]> =>
      this.#pool.rows<Read>(sql, [getPartition(after), after, limit, ...values, ...conditions.values]);
    return {
      readAll: (after, limit) => read<Row>(buildMatchesSql('OFFSET 0'), after, limit),
      readStride: async (after, limit, stride) => {
        const order = 'ORDER BY part, id';
        const sql = `SELECT e.stride_end, m.* FROM (SELECT (SELECT id ${candidates} ${order} OFFSET ${stride - 1} LIMIT 1) AS stride_end) e
          LEFT JOIN (${buildMatchesSql(`${order} LIMIT ${stride}`)}) m ON true ORDER BY m.part, m.id`;
        const rows = await read<Row & { readonly stride_end: UrlId | null }>(sql, after, limit);
        return { found: rows.filter(({ id }) => id !== null), end: rows[0]!.stride_end ?? undefined };
      },
    };
  }

  async #chooseCandidates(filter: SearchFilter): Promise<Candidates> {
    const { crawler, status, reason, source } = filter;
    const host = findHost(filter);
    if (host !== undefined) return this.#chooseHostCandidates(crawler, host);
    const limit = this.#limits.maxCandidates;
    if (reason !== undefined && (status === 'error' || Object.hasOwn(ERROR_CODES, reason))) {
      const where = `status = ${ERROR} AND reason = ?`;
      if ((await this.#countUpToLimit(`url WHERE ${where}`, [reason])) <= limit)
        return { where, values: [reason], isSmallSet: true };
    }
    if (status !== undefined) {
      const urls = await this.#readCounters({ status });
      const where = `status = ${toStatusCode(status)}`;
      if (urls <= limit) return { where, values: [], isSmallSet: true };
      if (2 * urls < (await this.#readCounters({}))) return { where, values: [], isSmallSet: false };
    }
    if (source === undefined || (await this.#readCounters({ source })) > limit)
      return { where: 'true', values: [], isSmallSet: false };
    return { where: `source = ${source} AND part = ANY (ARRAY(${ALL_PARTS}))`, values: [], isSmallSet: true };
  }

  async #chooseHostCandidates(crawler: string, host: string): Promise<Candidates> {
    const [site] = await this.#pool.rows<{ id: number; urls: number }>(
      'SELECT id, urls FROM site WHERE part = $1 AND crawler = $2 AND host = $3',
      [computePartition(host), crawler, host],
    );
    const isSmallSet = (site?.urls ?? 0) <= this.#limits.maxCandidates;
    return { where: 'part = ? AND site_id = ?', values: [computePartition(host), site?.id ?? 0], isSmallSet };
  }

  /** Counts the rows, but no further than one above the limit for few candidates. */
  async #countUpToLimit(source: string, values: readonly Value[] = []): Promise<number> {
    const sql = `SELECT count(*) AS number FROM (SELECT 1 FROM ${source} LIMIT ${this.#limits.maxCandidates + 1}) r`;
    return (await this.#pool.rows<{ number: number }>(numberParameters(sql, 1), values))[0]!.number;
  }

  async #readCounters(filter: UrlFilter): Promise<number> {
    const { sql, values } = buildCounterQuery(filter)!;
    return (await this.#pool.rows<{ urls: number }>(numberParameters(sql, 1), values as Value[]))[0]!.urls;
  }
}
