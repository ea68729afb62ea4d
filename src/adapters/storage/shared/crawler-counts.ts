import { URL_STATUSES, type UrlStatus } from '../../../domain/crawl/url-state.js';
import { SOURCES } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlerCounts } from '../../../engine/ports/frontier-store.js';
import type { CounterChange } from './tally.js';

/** Computes a crawler's counts from its counter rows; shared by both databases. */
export function toCrawlerCounts(counters: readonly CounterChange[], oldestDueAt: Instant | undefined): CrawlerCounts {
  const byStatus = Object.fromEntries(URL_STATUSES.map((status) => [status, 0])) as Record<UrlStatus, number>;
  const bySource = SOURCES.map(() => 0);
  let indexed = 0;
  for (const row of counters) {
    byStatus[URL_STATUSES[row.status]!] += row.urls;
    if (row.source >= 0) bySource[row.source]! += row.urls;
    if (row.indexed === 1) indexed += row.urls;
  }
  return { byStatus, bySource, indexed, oldestDueAt };
}
