export const SORTS = ['url', 'status', 'lastVisitAt', 'dueAt', 'firstSeenAt', 'hops', 'visits', 'changes'] as const;

export type Sort = (typeof SORTS)[number];

export interface Sorting {
  readonly sort?: Sort;
  readonly direction?: 'ascending' | 'descending';
}

export function parseSorting(query: URLSearchParams): Sorting {
  const sort = SORTS.find((candidate) => candidate === query.get('sort'));
  if (sort === undefined) return {};
  return { sort, direction: query.get('direction') === 'descending' ? 'descending' : 'ascending' };
}
