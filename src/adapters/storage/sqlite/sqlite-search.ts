import type { UrlId } from '../../../domain/crawl/url-state.js';
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
} from '../shared/failing-sql.js';
import { buildCounterQuery, buildUrlWhere, findHost, GLOB, type PatternDialect } from '../shared/filter-sql.js';
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
import { toState, URL_COLUMNS, type UrlRecord, type Value } from '../shared/url-row.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

type FailingCounts = Awaited<ReturnType<FrontierStore['countFailing']>>;
type FailingHosts = Awaited<ReturnType<FrontierStore['listFailingHosts']>>;

type Reader<Row> = (after: UrlId, until: UrlId, limit: number) => Row[];

/** The FROM clause that yields the candidates, and a further condition on them. */
interface Candidates {
  readonly from: string;
  readonly where?: string;
}

const FAILING: FailingDialect = {
  siteColumns: 'site_id',
  getUrlTable: (status) => `url INDEXED BY ${status === ERROR ? 'url_error' : 'url_removed'}`,
  joinCondition: 's.id = g.site_id',
};

/**
 * User searches. If an index leads to few candidates, all of them are examined and sorted; otherwise the table is read
 * by id until the time is up. There are no indexes just for searches, because each would slow down the crawl.
 */
export class SqliteSearch {
  readonly #db: Handle;
  readonly #limits: StepLimits;
  readonly #sql;
  readonly #watch: MatchWatch;

  constructor(db: Handle, limits = STEP_LIMITS) {
    this.#db = db;
    this.#watch = MatchWatch.forHandle(db);
    this.#limits = limits;
    this.#sql = prepareStatements(db, limits.maxCandidates + 1);
  }

  search(filter: SearchFilter, after: UrlId, limit: number): SearchStep {
    return this.#run(searchUrls(filter, limit), after);
  }

  findMatches(filter: SearchFilter, after: UrlId, limit: number): MatchStep {
    return this.#run(searchIds(filter, limit), after);
  }

  listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): FolderStep {
    const { sample, ...step } = this.#run(searchFolder(crawler, hostKey, folder), after);
    return { ...step, sample: sample.map((id) => toState(this.#sql.selectUrl.get(id) as UrlRecord)) };
  }

  survey(crawler: string, since: readonly Instant[], after: UrlId): SurveyStep {
    return this.#run(surveyUrls(crawler, since), after);
  }

  countFailing(crawler: string, now: Instant, hostKey?: string): FailingCounts {
    const { sql, values } = buildFailingQuery(FAILING, crawler, now, hostKey);
    return this.#db.prepare<Value[]>(sql).all(...values) as FailingCounts;
  }

  listFailingHosts(
    crawler: string,
    reason: string,
    now: Instant,
    after: HostsPage['after'],
    limit: number,
  ): FailingHosts {
    const { sql, values } = buildFailingHostsQuery(FAILING, crawler, reason, now, { after, limit });
    return this.#db.prepare<Value[]>(sql).all(...values) as FailingHosts;
  }

  #run<Row extends Pick<UrlRecord, 'id'>, Result>(search: Search<Row, Result>, after: UrlId): Result {
    return search.finish(this.#hasNoMatches(search.filter) ? COMPLETE : this.#runStep(search, after));
  }

  #runStep<Row extends Pick<UrlRecord, 'id'>>(search: Search<Row, unknown>, after: UrlId): Progress {
    const startedAt = performance.now();
    const fewCandidates = this.#findFewCandidates(search.filter);
    const progress =
      fewCandidates &&
      this.#searchFewCandidates(this.#createReader<Row>(search, fewCandidates), search, after, startedAt);
    return (
      progress ??
      this.#walk(this.#createReader<Row>(search, this.#chooseManyCandidates(search.filter)), search, after, startedAt)
    );
  }

  /** Returns undefined if this takes too long: the candidates are in no order in which the search could continue. */
  #searchFewCandidates<Row extends Pick<UrlRecord, 'id'>>(
    read: Reader<Row>,
    { limit, onRow }: Search<Row, unknown>,
    after: UrlId,
    startedAt: number,
  ): Progress | undefined {
    const lastId = this.#lastId;
    this.#watch.start(startedAt + this.#limits.ms / 2);
    const found = read(after, lastId, limit);
    if (this.#watch.refusedId !== undefined) return undefined;
    found.forEach(onRow);
    return found.length < limit ? COMPLETE : this.#createProgress(found.at(-1)!.id, lastId);
  }

  /** Walks by id in strides and stops when the time is up, even in the middle of a stride. */
  #walk<Row extends Pick<UrlRecord, 'id'>>(
    read: Reader<Row>,
    { limit, onRow }: Search<Row, unknown>,
    after: UrlId,
    startedAt: number,
  ): Progress {
    const lastId = this.#lastId;
    const deadline = startedAt + this.#limits.ms;
    let stride = Math.min(FIRST_STRIDE, this.#limits.stride);
    let position = after;
    let remaining = limit;
    this.#watch.start(deadline);
    do {
      const rows = read(position, position + stride, remaining);
      const { refusedId: firstRefusedId = Number.POSITIVE_INFINITY } = this.#watch;
      const found = rows.filter(({ id }) => id < firstRefusedId);
      found.forEach(onRow);
      remaining -= found.length;
      position = remaining === 0 ? found.at(-1)!.id : Math.min(position + stride, firstRefusedId - 1);
      if (performance.now() < startedAt + this.#limits.ms / 4) stride = Math.min(2 * stride, this.#limits.stride);
    } while (position < lastId && remaining > 0 && performance.now() < deadline);
    return this.#createProgress(position, lastId);
  }

  #createReader<Row>({ columns, filter }: Search<Row, unknown>, { from, where = '1 = 1' }: Candidates): Reader<Row> {
    const { sql, values } = buildUrlWhere(filter, globWithTimeLimit(filter.like, this.#limits.maxUncheckedCost));
    const statement = this.#db.prepare(
      `SELECT ${columns} ${from} WHERE u.id > ? AND u.id <= ? AND ${where} AND ${sql} ORDER BY u.id LIMIT ?`,
    );
    return (after, until, limit) => statement.all(after, until, ...values, limit) as Row[];
  }

  get #lastId(): UrlId {
    return this.#sql.lastId.get() as UrlId;
  }

  #createProgress(position: UrlId, lastId: UrlId): Progress {
    return position < lastId ? { next: position, searched: position / lastId } : COMPLETE;
  }

  /** Whether the counters show that there is no match. */
  #hasNoMatches({ crawler, status, source, indexed }: SearchFilter): boolean {
    return this.#readCounters({ crawler, status, source, indexed }) === 0;
  }

  /** Finds a FROM clause that yields all candidates, if they are few enough to be sorted quickly. */
  #findFewCandidates(filter: SearchFilter): Candidates | undefined {
    const { crawler, status, reason, source } = filter;
    const host = findHost(filter);
    const { maxCandidates } = this.#limits;
    if (host !== undefined && this.#readCounters({ crawler, hostKey: host }) <= maxCandidates)
      return { from: buildFromSite('url_of_site') };
    const isFailing = reason !== undefined && (status === 'error' || Object.hasOwn(ERROR_CODES, reason));
    if (isFailing && (this.#sql.failing.get(reason) as number) <= maxCandidates)
      return { from: buildFromUrl('INDEXED BY url_error'), where: `u.status = ${ERROR}` };
    if (status !== undefined && this.#readCounters({ status }) <= maxCandidates)
      return { from: buildFromUrl('INDEXED BY url_status') };
    const isScattered = source === undefined || this.#readCounters({ source }) > maxCandidates;
    return isScattered || (this.#sql.sites.get() as number) > maxCandidates
      ? undefined
      : { from: buildFromSite('url_queue') };
  }

  #chooseManyCandidates(filter: SearchFilter): Candidates {
    const { crawler, status } = filter;
    const host = findHost(filter);
    const site = host === undefined ? undefined : (this.#sql.site.get(crawler, host) as number);
    const isRare = status !== undefined && 2 * this.#readCounters({ status }) < this.#readCounters({});
    return {
      from: buildFromUrl(isRare ? 'INDEXED BY url_status' : 'NOT INDEXED'),
      where: site === undefined ? undefined : `u.site_id = ${site}`,
    };
  }

  #readCounters(filter: UrlFilter): number {
    const { sql, values } = buildCounterQuery(filter)!;
    const statement = this.#db.prepare<Value[], number>(sql).pluck();
    return statement.get(...values)!;
  }
}

/** CROSS JOIN keeps SQLite from choosing the order of the tables, because it does not know their sizes. */
const buildFromUrl = (index: string): string => `FROM url u ${index} CROSS JOIN site s ON s.id = u.site_id`;
const buildFromSite = (index: string): string => `FROM site s CROSS JOIN url u INDEXED BY ${index} ON u.site_id = s.id`;

const prepareStatements = (db: Handle, limit: number) => ({
  lastId: prepareOnce(db, 'SELECT coalesce(max(id), 0) FROM url').pluck(),
  selectUrl: prepareOnce(db, `SELECT ${URL_COLUMNS} FROM url u JOIN site s ON s.id = u.site_id WHERE u.id = ?`),
  site: prepareOnce(db, 'SELECT coalesce(min(id), 0) FROM site WHERE crawler = ? AND host = ?').pluck(),
  sites: prepareOnce(db, `SELECT count(*) FROM (SELECT 1 FROM site LIMIT ${limit})`).pluck(),
  failing: prepareOnce(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM url INDEXED BY url_error WHERE status = ${ERROR} AND reason = ? LIMIT ${limit})`,
  ).pluck(),
});

/** Checks the time before each URL that a statement matches, because SQLite itself cannot be interrupted. */
const FUNCTION = 'crawlway_in_time';

/**
 * Decides for each URL in turn whether there is time to match it. The first one is always matched, so that every step
 * makes progress; after the first URL that is not matched, no other one is.
 */
class MatchWatch {
  #deadline = 0;
  #hasMatched = false;
  #refusedId: number | undefined;

  static forHandle(db: Handle): MatchWatch {
    const existing = WATCHES.get(db);
    if (existing) return existing;
    const watch = new MatchWatch();
    db.function(FUNCTION, (id) => (watch.#allowMatch(id as number) ? 1 : 0));
    WATCHES.set(db, watch);
    return watch;
  }

  start(deadline: number): void {
    this.#deadline = deadline;
    this.#hasMatched = false;
    this.#refusedId = undefined;
  }

  /** Id of the first URL that was not matched because the time was up. */
  get refusedId(): number | undefined {
    return this.#refusedId;
  }

  #allowMatch(id: number): boolean {
    if (this.#refusedId === undefined && this.#hasMatched && performance.now() >= this.#deadline) this.#refusedId = id;
    this.#hasMatched = true;
    return this.#refusedId === undefined;
  }
}

const WATCHES = new WeakMap<Handle, MatchWatch>();

/**
 * GLOB with a time limit. Its worst-case cost is the length of the URL times that of the pattern; if this is small, the
 * time is not checked, because the function call takes twice as long as matching an ordinary URL.
 */
const globWithTimeLimit = (like: string | undefined, maxUncheckedCost: number): PatternDialect => ({
  ...GLOB,
  buildMatch: (column) =>
    `CASE WHEN octet_length(${column}) < ${Math.floor(maxUncheckedCost / ((like?.length ?? 0) + 1))} OR ${FUNCTION}(u.id) THEN ${GLOB.buildMatch(column)} END`,
});
