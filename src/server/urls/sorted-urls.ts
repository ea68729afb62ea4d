/**
 * Sorts stored URLs in an order that the caller chose. There is no index for it (each would slow down the crawl), so
 * all matching URLs are collected and sorted for each page, and a filter that matches too many is refused.
 */
import type { UrlState } from '../../domain/crawl/url-state.js';
import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { SearchStep, UrlFilter } from '../../engine/ports/frontier-store.js';
import { ProblemException } from '../http/problem.js';
import type { SORTS, UrlsQuery } from './url.query.js';

const MAX_SORTED_URLS = 10_000;
const PAGE_SIZE = 1_000;

type Sort = (typeof SORTS)[number];
type Key = string | number | undefined;

const SORT_KEYS: Readonly<Record<Sort, (url: UrlState) => Key>> = {
  url: ({ url }) => url,
  status: ({ status }) => URL_STATUSES.indexOf(status),
  lastVisitAt: ({ lastVisitAt }) => lastVisitAt,
  dueAt: ({ dueAt, source }) => (source === undefined ? undefined : dueAt),
  firstSeenAt: ({ firstSeenAt }) => firstSeenAt,
  hops: ({ hops }) => hops,
  visits: ({ visits }) => visits,
  changes: ({ changes }) => changes,
};

/** Lists all URLs that match the filter in that order; URLs without the sort key come last. */
export async function listSortedUrls(
  lists: Pick<EngineApi['urls'], 'search'>,
  filter: UrlFilter & { readonly crawler: string },
  { sort, direction }: Pick<UrlsQuery, 'sort' | 'direction'>,
  signal: AbortSignal,
): Promise<UrlState[]> {
  const getKey = SORT_KEYS[sort ?? 'url'];
  const sign = direction === 'descending' ? -1 : 1;
  return (await collectUrls(lists, filter, signal)).sort(
    (a, b) => compareKeys(getKey(a), getKey(b), sign) || a.id - b.id,
  );
}

async function collectUrls(
  lists: Pick<EngineApi['urls'], 'search'>,
  filter: UrlFilter & { readonly crawler: string },
  signal: AbortSignal,
): Promise<UrlState[]> {
  const foundUrls: UrlState[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted();
    const { urls, next }: SearchStep = await lists.search(filter, after, PAGE_SIZE);
    foundUrls.push(...urls);
    if (foundUrls.length > MAX_SORTED_URLS) throw createTooManyProblem();
    after = urls.length === PAGE_SIZE ? urls.at(-1)!.id : next;
  }
  return foundUrls;
}

const createTooManyProblem = (): ProblemException =>
  new ProblemException(
    'invalid-request',
    `More than ${MAX_SORTED_URLS.toLocaleString('en')} URLs match the filter, which is too many to sort: narrow it, or export the list.`,
    { errors: [{ pointer: '?sort', detail: 'the list is too long to be sorted' }] },
  );

function compareKeys(a: Key, b: Key, sign: number): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -sign : sign;
}
