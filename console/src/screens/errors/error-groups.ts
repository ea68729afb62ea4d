import { call } from '../../api/client.js';
import type { UrlStateDto } from '../../api/schema.js';

const PAGE = 1000;
const READ_PAGES = 3;

export interface ErrorGroup {
  readonly code: string;
  readonly urls: readonly UrlStateDto[];
  readonly hosts: readonly { readonly host: string; readonly urls: readonly UrlStateDto[] }[];
}

export interface ErrorUrls {
  readonly items: readonly UrlStateDto[];
  /** Whether these are all. */
  readonly complete: boolean;
}

export async function readErrors(crawler: string, host: string | undefined, signal: AbortSignal): Promise<ErrorUrls> {
  const items: UrlStateDto[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < READ_PAGES; page++) {
    const answer = await call('GET /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { status: 'error', host, cursor, limit: PAGE },
      signal,
    });
    items.push(...answer.items);
    if (answer.next === null) return { items, complete: true };
    cursor = answer.next;
  }
  return { items, complete: false };
}

/** The largest class first, and in it the host with the most. */
export function groupErrors(items: readonly UrlStateDto[]): ErrorGroup[] {
  return largestFirst(Map.groupBy(items, ({ reason }) => reason)).map(([code, urls]) => ({
    code,
    urls,
    hosts: largestFirst(Map.groupBy(urls, ({ host }) => host)).map(([host, ofHost]) => ({ host, urls: ofHost })),
  }));
}

const largestFirst = (groups: Map<string, UrlStateDto[]>): [string, UrlStateDto[]][] =>
  [...groups].sort(([, a], [, b]) => b.length - a.length);
