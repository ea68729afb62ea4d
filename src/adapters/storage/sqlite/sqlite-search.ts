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
} from '../shared/failing-sql.js';
import { buildCountedWhere, buildUrlWhere, findHost } from '../shared/filter-sql.js';
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
import { toState, URL_COLUMNS, type UrlRecord, type Value } from '../shared/url-row.js';
import { globWithTimeLimit, MatchWatch } from './match-watch.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

type Failing = Awaited<ReturnType<FrontierStore['countFailing']>>;
type FailingHosts = Awaited<ReturnType<FrontierStore['listFailingHosts']>>;
type Search = UrlFilter & { readonly crawler: string };

type Reader<Row> = (after: UrlId, until: UrlId, limit: number) => Row[];

/** Where candidates are found, and further conditions on them. */
interface Candidates {
  readonly from: string;
  readonly where?: string;
}

interface Taking<Row> {
  readonly after: UrlId;
  readonly limit: number;
  readonly take: (row: Row) => void;
}

const FAILING: FailingDialect = {
  site: 'site_id',
  url: (status) => `url INDEXED BY ${status === ERROR ? 'url_error' : 'url_removed'}`,
  join: 's.id = g.site_id',
};

/**
 * Lists for people. If an index leads to few candidates, all of them are examined and sorted; otherwise the table is
 * read by id until the time is up. There are no indexes just for lists, because each would slow down the crawl.
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
    this.#sql = prepareStatements(db, limits.few + 1);
  }

  search(filter: Search, after: UrlId, limit: number): SearchStep {
    const urls: UrlState[] = [];
    const collect = (row: UrlRecord): unknown => urls.push(toState(row));
    return { urls, ...this.#step(URL_COLUMNS, filter, { after, limit, take: collect }) };
  }

  findMatches(filter: Search, after: UrlId, limit: number): MatchStep {
    const ids: UrlId[] = [];
    const collect = ({ id }: Pick<UrlRecord, 'id'>): unknown => ids.push(id);
    return { ids, next: this.#step('u.id', filter, { after, limit, take: collect }).next };
  }

  listFolders(crawler: string, hostKey: string, folder: string, after: UrlId): FolderStep {
    const tally = new FolderTally(folder);
    const collect = ({ id, url }: Pick<UrlRecord, 'id' | 'url'>): void => tally.count(id, url);
    const limit = Number.MAX_SAFE_INTEGER;
    const progress = this.#step('u.id, u.url', { crawler, hostKey, prefix: folder }, { after, limit, take: collect });
    const sample = tally.sample.map((id) => toState(this.#sql.urlOf.get(id) as UrlRecord));
    return { ...tally.result, sample, ...progress };
  }

  survey(crawler: string, since: readonly Instant[], after: UrlId): SurveyStep {
    const tally = new SurveyTally(since);
    const collect = (row: SurveyRecord): void => tally.count(row);
    const progress = this.#step(SURVEY_COLUMNS, { crawler }, { after, limit: Number.MAX_SAFE_INTEGER, take: collect });
    return { ...tally.result, ...progress };
  }

  countFailing(crawler: string, now: Instant, hostKey?: string): Failing {
    const { sql, values } = buildFailingQuery(FAILING, crawler, now, hostKey);
    return this.#db.prepare<Value[]>(sql).all(...values) as Failing;
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

  #step<Row extends Pick<UrlRecord, 'id'>>(columns: string, filter: Search, taking: Taking<Row>): Progress {
    if (this.#isEmpty(filter)) return ALL;
    const began = performance.now();
    const few = this.#findFewCandidates(filter);
    const progress = few && this.#searchFew(this.#createReader<Row>(columns, filter, few), taking, began);
    return (
      progress ??
      this.#walk(this.#createReader<Row>(columns, filter, this.#chooseManyCandidates(filter)), taking, began)
    );
  }

  /** Undefined if matching all of them takes too long: they are not in an order in which the search could continue. */
  #searchFew<Row extends Pick<UrlRecord, 'id'>>(
    read: Reader<Row>,
    { after, limit, take }: Taking<Row>,
    began: number,
  ): Progress | undefined {
    const last = this.#lastId;
    this.#watch.start(began + this.#limits.ms / 2);
    const found = read(after, last, limit);
    if (this.#watch.refusedId !== undefined) return undefined;
    found.forEach(take);
    return found.length < limit ? ALL : this.#createProgress(found.at(-1)!.id, last);
  }

  /** Walks by id in strides; stops in the middle of one when the time is up. */
  #walk<Row extends Pick<UrlRecord, 'id'>>(
    read: Reader<Row>,
    { after, limit, take }: Taking<Row>,
    began: number,
  ): Progress {
    const last = this.#lastId;
    const deadline = began + this.#limits.ms;
    let reach = Math.min(FIRST_STRIDE, this.#limits.stride);
    let at = after;
    let room = limit;
    this.#watch.start(deadline);
    do {
      const some = read(at, at + reach, room);
      const { refusedId: refused = Number.POSITIVE_INFINITY } = this.#watch;
      const found = some.filter(({ id }) => id < refused);
      found.forEach(take);
      room -= found.length;
      at = room === 0 ? found.at(-1)!.id : Math.min(at + reach, refused - 1);
      if (performance.now() < began + this.#limits.ms / 4) reach = Math.min(2 * reach, this.#limits.stride);
    } while (at < last && room > 0 && performance.now() < deadline);
    return this.#createProgress(at, last);
  }

  #createReader<Row>(columns: string, filter: Search, { from, where = '1 = 1' }: Candidates): Reader<Row> {
    const { sql, values } = buildUrlWhere(filter, globWithTimeLimit(filter.like, this.#limits.unwatched));
    const rows = this.#db.prepare(
      `SELECT ${columns} ${from} WHERE u.id > ? AND u.id <= ? AND ${where} AND ${sql} ORDER BY u.id LIMIT ?`,
    );
    return (after, until, limit) => rows.all(after, until, ...values, limit) as Row[];
  }

  get #lastId(): UrlId {
    return this.#sql.lastId.get() as UrlId;
  }

  #createProgress(at: UrlId, last: UrlId): Progress {
    return at < last ? { next: at, searched: at / last } : ALL;
  }

  /** Whether the counters show that there is no match. */
  #isEmpty({ crawler, status, source, indexed }: Search): boolean {
    return this.#readCounters({ crawler, status, source, indexed }) === 0;
  }

  /** Finds where all candidates are, if they are few enough to be sorted quickly. */
  #findFewCandidates(filter: Search): Candidates | undefined {
    const { crawler, status, reason, source } = filter;
    const host = findHost(filter);
    const { few } = this.#limits;
    if (host !== undefined && this.#readCounters({ crawler, hostKey: host }) <= few)
      return { from: fromSite('url_of_site') };
    const failing = reason !== undefined && (status === 'error' || Object.hasOwn(ERROR_CODES, reason));
    if (failing && (this.#sql.failing.get(reason) as number) <= few)
      return { from: fromUrl('INDEXED BY url_error'), where: `u.status = ${ERROR}` };
    if (status !== undefined && this.#readCounters({ status }) <= few)
      return { from: fromUrl('INDEXED BY url_status') };
    const scattered = source === undefined || this.#readCounters({ source }) > few;
    return scattered || (this.#sql.sites.get() as number) > few ? undefined : { from: fromSite('url_queue') };
  }

  #chooseManyCandidates(filter: Search): Candidates {
    const { crawler, status } = filter;
    const host = findHost(filter);
    const site = host === undefined ? undefined : (this.#sql.site.get(crawler, host) as number);
    const rare = status !== undefined && 2 * this.#readCounters({ status }) < this.#readCounters({});
    return {
      from: fromUrl(rare ? 'INDEXED BY url_status' : 'NOT INDEXED'),
      where: site === undefined ? undefined : `u.site_id = ${site}`,
    };
  }

  #readCounters(filter: UrlFilter): number {
    const { sql, values } = buildCountedWhere(filter)!;
    const counted = this.#db.prepare<Value[], number>(sql).pluck();
    return counted.get(...values)!;
  }
}

/** CROSS JOIN keeps SQLite from choosing the order of the tables, because it does not know their sizes. */
const fromUrl = (index: string): string => `FROM url u ${index} CROSS JOIN site s ON s.id = u.site_id`;
const fromSite = (index: string): string => `FROM site s CROSS JOIN url u INDEXED BY ${index} ON u.site_id = s.id`;

const prepareStatements = (db: Handle, enough: number) => ({
  lastId: prepareOnce(db, 'SELECT coalesce(max(id), 0) FROM url').pluck(),
  urlOf: prepareOnce(db, `SELECT ${URL_COLUMNS} FROM url u JOIN site s ON s.id = u.site_id WHERE u.id = ?`),
  site: prepareOnce(db, 'SELECT coalesce(min(id), 0) FROM site WHERE crawler = ? AND host = ?').pluck(),
  sites: prepareOnce(db, `SELECT count(*) FROM (SELECT 1 FROM site LIMIT ${enough})`).pluck(),
  failing: prepareOnce(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM url INDEXED BY url_error WHERE status = ${ERROR} AND reason = ? LIMIT ${enough})`,
  ).pluck(),
});
