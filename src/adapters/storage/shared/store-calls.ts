/** What the stores on both databases have in common: calls that are passed on as they are, and calls in many steps. */
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { FrontierStore, UrlFilter } from '../../../engine/ports/frontier-store.js';
import type { MatchStep, SearchFilter } from './search.js';

type Intersection<T> = T extends readonly [infer First, ...infer Rest] ? First & Intersection<Rest> : unknown;

/** The methods of an object as functions, which can be called without it. */
type Functions<T> = {
  readonly [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? Name : never]: T[Name];
};

/** Combines the public methods of the targets, whose names must be different. */
export function bindMethods<T extends readonly object[]>(...targets: T): Functions<Intersection<T>> {
  const methods = targets.flatMap((target) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(target)).flatMap((name) => {
      const method: unknown = name === 'constructor' ? undefined : Reflect.get(target, name);
      return typeof method === 'function' ? [[name, method.bind(target)]] : [];
    }),
  );
  return Object.fromEntries(methods);
}

/** Number of rows per step of a long change; crawling continues between the steps. */
const BULK_STEP = 2_000;

/** The steps of which the calls below consist; each may be carried out in a different thread. */
interface Steps extends Pick<FrontierStore, 'get' | 'list' | 'count'> {
  findMatching(filter: UrlFilter, after: UrlId, limit: number): Promise<UrlId[]>;
  findMatches(filter: SearchFilter, after: UrlId, limit: number): Promise<MatchStep>;
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): Promise<number>;
  forgetMatching(ids: readonly UrlId[], filter: UrlFilter): Promise<number>;
  findPrunable(decidedBefore: Instant, keepCount: number, limit: number): Promise<number[]>;
  deleteOrders(ids: readonly number[]): Promise<number>;
}

/** Calls about so many rows that they take many steps: matching a pattern, for example, takes a long time. */
export function createLongCalls(
  steps: Steps,
): Pick<FrontierStore, 'makeDue' | 'forget' | 'pruneOrders' | 'list' | 'count'> {
  const findMatching = (filter: UrlFilter, after: UrlId, limit: number): Promise<UrlId[]> =>
    needsSteps(filter)
      ? findMatchingInSteps((...args) => steps.findMatches(filter, ...args), after, limit)
      : steps.findMatching(filter, after, limit);
  const changeAll = (filter: UrlFilter, apply: (ids: readonly number[]) => Promise<number>): Promise<number> =>
    changeInSteps((after) => findMatching(filter, after, BULK_STEP), apply);
  return {
    makeDue: (filter, dueAt, source, note) =>
      changeAll(filter, (ids) => {
        note?.(ids);
        return steps.makeDueAmong(ids, filter, dueAt, source);
      }),
    forget: (filter) => changeAll(filter, (ids) => steps.forgetMatching(ids, filter)),
    pruneOrders: (decidedBefore, keep) =>
      changeInSteps(
        () => steps.findPrunable(decidedBefore, keep, BULK_STEP),
        (ids) => steps.deleteOrders(ids),
      ),
    list: async (filter, after, limit) => {
      if (!needsSteps(filter)) return steps.list(filter, after, limit);
      const states: UrlState[] = [];
      // URLs that are deleted between the two calls must not make the page look like the last one.
      for (let position = after; ; ) {
        const wanted = limit - states.length;
        const ids = await findMatching(filter, position, wanted);
        states.push(...(await steps.get(ids)));
        if (ids.length < wanted || states.length === limit) return states;
        position = ids.at(-1)!;
      }
    },
    count: (filter, signal) =>
      needsSteps(filter) ? countInSteps((...args) => steps.findMatches(filter, ...args), signal) : steps.count(filter),
  };
}

/**
 * Whether to search in steps instead of with one statement: matching a pattern takes a long time, and the store can do
 * other work between the steps.
 */
const needsSteps = (filter: UrlFilter): filter is SearchFilter =>
  filter.like !== undefined && filter.crawler !== undefined;

/**
 * Changes very many rows in steps: `find` returns the next ids after a given one, and `apply` changes those that still
 * qualify, in a transaction of its own. Returns how many rows were changed.
 */
async function changeInSteps(
  find: (after: number) => Promise<number[]>,
  apply: (ids: readonly number[]) => Promise<number>,
): Promise<number> {
  let changedCount = 0;
  let lastId = 0;
  for (;;) {
    const ids = await find(lastId);
    if (ids.length > 0) changedCount += await apply(ids);
    if (ids.length < BULK_STEP) return changedCount;
    lastId = ids.at(-1)!;
  }
}

interface SortSteps {
  sortUrls(table: number, crawler: string, after: UrlId): Promise<UrlId | undefined>;
  listSorted(table: number, after: string | undefined, limit: number): Promise<UrlState[]>;
}

/** Lists URLs in their order, one page at a time, from a table of each crawler: walks of several do not sort in turns. */
export function createListByUrl({ sortUrls, listSorted }: SortSteps): FrontierStore['listByUrl'] {
  const tables = new Map<string, number>();
  const sortedCrawlers = new Set<string>();
  let latestPage: Promise<unknown> = Promise.resolve();
  const readPage: FrontierStore['listByUrl'] = async (crawler, after, limit) => {
    const table = tables.get(crawler) ?? tables.size;
    tables.set(crawler, table);
    if (after === undefined || !sortedCrawlers.has(crawler)) {
      sortedCrawlers.delete(crawler);
      for (let last: UrlId | undefined = 0; last !== undefined; ) last = await sortUrls(table, crawler, last);
      sortedCrawlers.add(crawler);
    }
    const page = await listSorted(table, after, limit);
    if (page.length < limit) sortedCrawlers.delete(crawler);
    return page;
  };
  return (...query) => {
    const page = latestPage.then(() => readPage(...query));
    latestPage = page.catch(() => {});
    return page;
  };
}

/** Number of matches per step of a count. */
const COUNT_STEP = 100_000;

/** Finds the first `limit` matching ids after a given one, in as many steps as it takes. */
async function findMatchingInSteps(
  step: (after: UrlId, limit: number) => Promise<MatchStep>,
  after: UrlId,
  limit: number,
): Promise<UrlId[]> {
  const found: UrlId[] = [];
  for (let position: UrlId | undefined = after; position !== undefined && found.length < limit; ) {
    const { ids, next }: MatchStep = await step(position, limit - found.length);
    found.push(...ids);
    position = next;
  }
  return found;
}

/** @param step as in `findMatchingInSteps` */
export async function countInSteps(
  step: (after: UrlId, limit: number) => Promise<MatchStep>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let position: UrlId | undefined = 0; position !== undefined; ) {
    signal?.throwIfAborted();
    const { ids, next }: MatchStep = await step(position, COUNT_STEP);
    count += ids.length;
    position = next;
  }
  return count;
}
