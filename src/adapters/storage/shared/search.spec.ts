import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { discovered, newUrl } from '../../../../test/support/frontier-samples.js';
import { onPostgres, postgresDatabase } from '../../../../test/support/postgres.js';
import { state } from '../../../../test/support/url-states.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { ErrorCode } from '../../../domain/fetch/error-codes.js';
import { Secret } from '../../../domain/secret.js';
import { type Instant, instant } from '../../../domain/time/units.js';
import type {
  FrontierStore,
  SearchStep,
  SurveyStep,
  UrlChanges,
  UrlFilter,
} from '../../../engine/ports/frontier-store.js';
import { type Parameter, PostgresPool, StatementTooLong } from '../postgres/postgres-pool.js';
import { PostgresReads } from '../postgres/postgres-reads.js';
import { PostgresSearch } from '../postgres/postgres-search.js';
import { openPostgresStore } from '../postgres/postgres-store.js';
import { SqliteFrontier } from '../sqlite/sqlite-frontier.js';
import { SqliteReads } from '../sqlite/sqlite-reads.js';
import { SqliteSearch } from '../sqlite/sqlite-search.js';
import { getRawHandle, openSqliteDataSource } from '../sqlite/sqlite-store.js';
import { FolderTally } from './search.js';
import { countInSteps, createLongCalls } from './store-calls.js';

const HOUR = 3_600_000;
const now = instant(100 * HOUR);
const hrefs = (states: readonly UrlState[]): string[] => states.map(({ url }) => url).sort();

type Search = Pick<FrontierStore, 'search' | 'listFolders' | 'survey'>;
type Filter = UrlFilter & { readonly crawler: string };

interface Searchable {
  readonly store: Pick<FrontierStore, 'discover' | 'settle' | 'list'>;
  /** Any number counts as many, and time is up after every stride of nine. */
  readonly hasty: Search;
  /** Any number counts as few. */
  readonly thorough: Search;
  /** Each URL takes longer than the time allowed. */
  readonly rushed: Search;
}

const HASTY = { maxCandidates: -1, stride: 9, ms: 0, maxUncheckedCost: 1_000_000 };
const THOROUGH = { maxCandidates: 1_000, stride: 1_000, ms: 1_000, maxUncheckedCost: 1_000_000 };
/** Up to 1,000 URLs count as few, and there is no time for a second one. */
const RUSHED = { maxCandidates: 1_000, stride: 9, ms: 0, maxUncheckedCost: 0 };

async function onSqlite(): Promise<Searchable> {
  const source = await openSqliteDataSource(':memory:');
  onTestFinished(() => source.destroy());
  const db = getRawHandle(source);
  const frontier = new SqliteFrontier(db);
  const reads = new SqliteReads(db);
  const searching = (search: SqliteSearch): Search => ({
    search: async (...query) => search.search(...query),
    listFolders: async (...query) => search.listFolders(...query),
    survey: async (...query) => search.survey(...query),
  });
  return {
    store: {
      discover: async (urls) => {
        const ids = frontier.transaction(() => frontier.insert(urls));
        return reads.get([...ids]);
      },
      settle: async (settlements) => frontier.transaction(() => frontier.settle(settlements)),
      list: async (...query) => reads.list(...query),
    },
    hasty: searching(new SqliteSearch(db, HASTY)),
    thorough: searching(new SqliteSearch(db, THOROUGH)),
    rushed: searching(new SqliteSearch(db, RUSHED)),
  };
}

/** Acts like a database that ends each statement that examines more than sixteen URLs. */
class ImpatientPool extends PostgresPool {
  override rows<Row>(sql: string, ...rest: [values?: readonly Parameter[], name?: string]): Promise<Row[]> {
    const stride = sql.includes('OFFSET 0)') ? Number.POSITIVE_INFINITY : Number(/LIMIT (\d+)\) u/.exec(sql)?.[1] ?? 0);
    return stride > 16 ? Promise.reject(new StatementTooLong('too long')) : super.rows<Row>(sql, ...rest);
  }
}

async function openOnPostgres(): Promise<Searchable> {
  const url = await postgresDatabase();
  const store = await openPostgresStore(new Secret(url));
  const pool = new PostgresPool(new Secret(url));
  const impatient = new ImpatientPool(new Secret(url));
  onTestFinished(async () => {
    await pool.close();
    await impatient.close();
    await store.close();
  });
  const reads = new PostgresReads(pool);
  const get = (ids: readonly number[]) => reads.get(ids);
  return {
    store,
    hasty: new PostgresSearch(pool, get, HASTY),
    thorough: new PostgresSearch(pool, get, THOROUGH),
    rushed: new PostgresSearch(impatient, get, THOROUGH),
  };
}

async function sample(store: Searchable['store']): Promise<void> {
  const urls = Array.from({ length: 40 }, (_, i) =>
    newUrl(`http://${'abc'[i % 3]}.example/${i % 2 === 0 ? 'news' : 'docs/old'}/${i}`, {
      source: i % 5 === 0 ? 0 : 3,
      reason: i % 4 === 0 ? 'rule-ignored' : 'accepted',
      crawler: i % 7 === 0 ? 'other' : 'docs',
    }),
  );
  const states = await store.discover(urls);
  const changes: UrlChanges[] = [
    { status: 'error', reason: 'http-404', lastVisitAt: now },
    { status: 'indexed', reason: 'indexed', stamp: 'x', lastVisitAt: instant(now - HOUR) },
    { status: 'error', reason: 'read-timeout', lastVisitAt: instant(now - 2 * HOUR), source: null },
  ];
  await store.settle(states.slice(0, 30).map(({ id }, i) => ({ id, changes: changes[i % 3]! })));
  await store.settle(states.slice(5, 9).map(({ id }) => ({ id, remove: true })));
}

const FILTERS: readonly Filter[] = [
  { crawler: 'docs' },
  { crawler: 'nobody' },
  { crawler: 'docs', status: 'error' },
  { crawler: 'docs', status: 'excluded' },
  { crawler: 'docs', status: 'error', reason: 'read-timeout' },
  { crawler: 'docs', reason: 'http-404' },
  { crawler: 'docs', reason: 'rule-ignored' },
  { crawler: 'docs', reason: "it's" },
  { crawler: 'docs', source: 0 },
  { crawler: 'docs', source: 3, status: 'indexed' },
  { crawler: 'docs', hostKey: 'b.example' },
  { crawler: 'docs', hostKey: 'b.example', status: 'error', like: '%/docs/%' },
  { crawler: 'docs', hostKey: 'nowhere.example' },
  { crawler: 'docs', prefix: 'http://a.example/news/1' },
  { crawler: 'docs', like: '%1%' },
  { crawler: 'docs', indexed: true },
  { crawler: 'docs', indexed: false, visitedSince: instant(now - HOUR) },
  { crawler: 'docs', visitedBefore: now },
];

async function searchedThrough(search: Search, filter: Filter, limit: number): Promise<UrlState[]> {
  const found: UrlState[] = [];
  let after: number | undefined = 0;
  let progress = 0;
  while (after !== undefined) {
    const step: SearchStep = await search.search(filter, after, limit);
    expect(step.urls.length).toBeLessThanOrEqual(limit);
    expect(step.searched).toBeGreaterThanOrEqual(progress);
    expect(step.searched).toBeLessThanOrEqual(1);
    found.push(...step.urls);
    progress = step.searched;
    after = step.next;
  }
  expect(progress).toBe(1);
  return found;
}

describe.each([{ name: 'SQLite', open: onSqlite }, ...onPostgres({ name: 'PostgreSQL', open: openOnPostgres })])(
  'searching on $name',
  ({ open }) => {
    it('finds every listed URL once, however small the steps and the pages', async () => {
      const { store, hasty, thorough, rushed } = await open();
      await sample(store);
      for (const filter of FILTERS) {
        const wanted = hrefs(await store.list(filter, 0, 100));
        expect(hrefs(await searchedThrough(hasty, filter, 5)), JSON.stringify(filter)).toEqual(wanted);
        expect(hrefs(await searchedThrough(thorough, filter, 4)), JSON.stringify(filter)).toEqual(wanted);
        if (filter.like === undefined) continue;
        expect(hrefs(await searchedThrough(rushed, filter, 4)), JSON.stringify(filter)).toEqual(wanted);
      }
    });

    it('counts a visit at the very time as one since then, and not as one before', async () => {
      const { store } = await open();
      await sample(store);
      expect(await store.list({ visitedSince: now }, 0, 100)).toHaveLength(9);
      expect(await store.list({ visitedBefore: instant(now - HOUR) }, 0, 100)).toHaveLength(8);
    });

    it('stops at its time limit and returns how far it got', async () => {
      const { store, hasty } = await open();
      await sample(store);
      const step = await hasty.search({ crawler: 'docs', like: 'nothing' }, 0, 10);
      expect(step.urls).toEqual([]);
      expect(step.next).toBeGreaterThan(0);
      expect(step.searched).toBeLessThan(1);
    });

    it('counts everything by status, reason and age of the document, summed over steps', async () => {
      const { store, hasty, thorough } = await open();
      await sample(store);
      const since = [instant(now - HOUR / 2), instant(now - 2 * HOUR)];
      const surveyed = async (search: Search) => {
        const reasons: Record<string, number[]> = {};
        const ages = [0, 0, 0];
        for (let after: number | undefined = 0; after !== undefined; ) {
          const step: SurveyStep = await search.survey('docs', since, after);
          for (const { status, reason, urls, indexed } of step.reasons) {
            const [before = 0, held = 0] = reasons[`${status} ${reason}`] ?? [];
            reasons[`${status} ${reason}`] = [before + urls, held + indexed];
          }
          for (const [i, documents] of step.ages.entries()) ages[i]! += documents;
          after = step.next;
        }
        return { reasons, ages };
      };
      const all = await store.list({ crawler: 'docs' }, 0, 100);
      const documents = all.filter(({ stamp }) => stamp !== undefined).length;
      const { reasons, ages } = await surveyed(thorough);
      for (const [key, [urls, indexed]] of Object.entries(reasons)) {
        const of = all.filter(({ status, reason }) => `${status} ${reason}` === key);
        expect([urls, indexed]).toEqual([of.length, of.filter(({ stamp }) => stamp !== undefined).length]);
      }
      expect(Object.values(reasons).reduce((sum, [urls]) => sum + urls!, 0)).toBe(all.length);
      expect(ages).toEqual([0, documents, 0]);
      expect(documents).toBeGreaterThan(0);
      expect(await surveyed(hasty)).toEqual({ reasons, ages });
    });

    it('counts URLs in the folders of a host, summed over steps', async () => {
      const { store, hasty, thorough } = await open();
      const paths = ['', 'a', 'x/1', 'x/y/2', 'x/y/z/3', 'q?to=/x/y', 'w/?a/b', 'x/'];
      await store.discover(paths.map((path) => newUrl(`http://h.example/${path}`)));
      await store.discover([newUrl('https://h.example/x/tls'), newUrl('http://other.example/x/1')]);
      const counted = async (search: Search, folder: string) => {
        const folders = new Map<string, number>();
        const sample: string[] = [];
        let urls = 0;
        let after: number | undefined = 0;
        while (after !== undefined) {
          const step = await search.listFolders('docs', 'h.example', folder, after);
          for (const { name, urls: more } of step.folders) folders.set(name, (folders.get(name) ?? 0) + more);
          sample.push(...hrefs(step.sample));
          urls += step.urls;
          after = step.next;
        }
        expect(sample).toHaveLength(urls);
        return { folders: Object.fromEntries(folders), sample: sample.sort() };
      };
      for (const search of [hasty, thorough]) {
        expect((await counted(search, '')).folders).toEqual({ 'http://h.example/': 8, 'https://h.example/': 1 });
        expect(await counted(search, 'http://h.example/')).toEqual({
          folders: { 'x/': 4, 'w/': 1 },
          sample: ['http://h.example/', 'http://h.example/a', 'http://h.example/q?to=/x/y'],
        });
        expect(await counted(search, 'http://h.example/x/')).toEqual({
          folders: { 'y/': 2 },
          sample: ['http://h.example/x/', 'http://h.example/x/1'],
        });
      }
    });
  },
);

it('a count by pattern is aborted after the step at which its caller has gone', async () => {
  const gone = new AbortController();
  let steps = 0;
  const endless = async (after: number) => {
    if (++steps === 3) gone.abort(new Error('gone'));
    return { ids: [after + 1], next: after + 1 };
  };
  await expect(countInSteps(endless, gone.signal)).rejects.toThrow('gone');
  expect(steps).toBe(3);
});

it('a page of a list by pattern is full although some of its URLs are deleted after they were found', async () => {
  const stored = [1, 2, 3, 5, 8, 13];
  const steps = {
    findMatches: async (_: unknown, after: number, limit: number) => {
      const ids = stored.filter((id) => id > after).slice(0, limit);
      return { ids, next: ids.length < limit ? undefined : ids.at(-1) };
    },
    get: async (ids: readonly number[]) => ids.filter((id) => id !== 2 && id !== 5).map((id) => state({ id })),
  };
  const { list } = createLongCalls(steps as never);
  const listed = async (after: number, limit: number) =>
    (await list({ crawler: 'docs', like: '%' }, after, limit)).map(({ id }) => id);
  expect([await listed(0, 3), await listed(3, 3), await listed(0, 4)]).toEqual([
    [1, 3, 8],
    [8, 13],
    [1, 3, 8, 13],
  ]);
});

describe('the folders of a folder', () => {
  it('are listed up to a thousand; URLs in others are counted together', () => {
    const tally = new FolderTally('http://h.example/');
    for (let i = 0; i < 1_005; i++) tally.countUrl(i, `http://h.example/${i}/page`);
    tally.countUrl(2_000, 'http://h.example/7/again');
    const { folders, others, urls } = tally.result;
    expect(folders).toHaveLength(1_000);
    expect(folders[7]).toEqual({ name: '7/', urls: 2 });
    expect({ others, urls }).toEqual({ others: 5, urls: 0 });
  });
});

describe.each(DATABASES)('URLs in error on $name', ({ open }) => {
  const failed = (reason: ErrorCode, hoursAgo: number): UrlChanges => ({
    status: 'error',
    reason,
    lastVisitAt: (now - hoursAgo * HOUR) as Instant,
  });

  it('are counted by reason and by host, the most first, with those of the last hour and day', async () => {
    const { store } = await open();
    const states = await discovered(
      store,
      ...Array.from({ length: 6 }, (_, i) => newUrl(`http://a.example/${i}`)),
      newUrl('http://b.example/0'),
      newUrl('http://b.example/1', { crawler: 'news' }),
    );
    const changes = [
      failed('http-404', 0),
      failed('http-404', 5),
      failed('http-404', 50),
      failed('read-timeout', 30),
      { status: 'indexed', reason: 'indexed', lastVisitAt: now } as const,
      {},
      failed('http-404', 0.5),
      failed('http-404', 0),
    ];
    await store.settle(states.map(({ id }, i) => ({ id, changes: changes[i]! })));
    expect(await store.countFailing('docs', now)).toEqual([
      { reason: 'http-404', hosts: 2, urls: 4, lastHour: 2, lastDay: 3 },
      { reason: 'read-timeout', hosts: 1, urls: 1, lastHour: 0, lastDay: 0 },
    ]);
    expect(await store.countFailing('docs', now, 'b.example')).toEqual([
      { reason: 'http-404', hosts: 1, urls: 1, lastHour: 1, lastDay: 1 },
    ]);
    expect(await store.listFailingHosts('docs', 'http-404', now, undefined, 10)).toEqual([
      { hostKey: 'a.example', urls: 3, lastHour: 1, lastDay: 2 },
      { hostKey: 'b.example', urls: 1, lastHour: 1, lastDay: 1 },
    ]);
    await store.settle([
      { id: states[0]!.id, remove: true },
      { id: states[1]!.id, changes: { status: 'indexed', reason: 'indexed' } },
    ]);
    const [first] = await store.listFailingHosts('docs', 'http-404', now, undefined, 1);
    expect(first).toEqual({ hostKey: 'a.example', urls: 1, lastHour: 0, lastDay: 0 });
    expect(await store.listFailingHosts('docs', 'http-404', now, first, 10)).toEqual([
      { hostKey: 'b.example', urls: 1, lastHour: 1, lastDay: 1 },
    ]);
  });
});
