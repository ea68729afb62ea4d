/** Model pages for the benchmarks of stores. */
import type { UrlState } from '../src/domain/crawl/url-state.js';
import { instant, milliseconds } from '../src/domain/time/units.js';
import { computeUrlKey } from '../src/domain/url/url-key.js';
import type { NewUrl, Settlement } from '../src/engine/ports/frontier-store.js';

/**
 * Kinds of the 100 links of a page: to 200 pages to which its whole host links, to any page of its host, to the first
 * pages of other hosts, and to pages that have not been discovered before.
 */
export const LINKS = { navigation: 60, own: 30, popular: 5, fresh: 5 };
export const NAVIGATION_PAGES = 200;
export const POPULAR_PAGES = 5;

export const START = 1_700_000_000_000;
const STAMP = '0123456789abcdef0123456789abcdef';

/** The n-th page of a host of the model. */
export function createLink(host: number, n: number): NewUrl {
  const hostKey = `host-${host}.example.com`;
  const url = `https://${hostKey}/section-${n % 97}/some/page-of-average-length-${n}.html`;
  return {
    crawler: 'bench',
    url,
    key: computeUrlKey(url),
    hostKey,
    source: 3,
    status: 'waiting',
    reason: 'accepted',
    hops: 3,
    redirects: 0,
    discoveredVia: 'link',
    foundOn: `https://${hostKey}/section-${n % 89}/some/page-of-average-length-${n % 1000}.html`,
    root: `https://${hostKey}/`,
    dueAt: instant(START + n),
  };
}

/** The settlement of a visit that found a document. */
export function createSettlement(url: UrlState, orderId: number): Settlement {
  const at = instant(START + orderId);
  return {
    id: url.id,
    changes: {
      status: 'indexed',
      reason: 'accepted',
      source: 5,
      dueAt: instant(START + 1e9 + orderId),
      lastVisitAt: at,
      lastStatus: 200,
      temporaryErrors: 0,
      permanentError: false,
      visits: url.visits + 1,
      etag: '"5f3e-1a2b3c4d5e6f"',
      lastModified: 'Tue, 04 Nov 2025 10:00:00 GMT',
      stamp: STAMP,
      simhash: computeUrlKey(url.url),
      contentType: 'text/html',
      title: 'The title of a page of average length',
    },
    visit: { at, status: 200, outcome: 'document', duration: milliseconds(40), bytes: 42_000, changed: true },
    orders: [
      {
        id: orderId,
        crawler: 'bench',
        uri: url.url,
        hostKey: url.hostKey,
        kind: 'add',
        reason: 'accepted',
        decidedAt: at,
        state: 'acknowledged',
        attempts: 1,
        answeredAt: at,
        stamp: STAMP,
      },
    ],
  };
}
