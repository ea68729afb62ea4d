import { INDEX_FOLLOW } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { NewUrl } from '../../ports/frontier-store.js';

/** A URL that another program, crawler or node has named: it counts as linked by the root to whose site it belongs. */
export const toUnlinkedUrl = (
  { definition, roots }: Pick<CrawlContext, 'definition' | 'roots'>,
  url: CrawlUrl,
  dueAt: Instant,
  reason: NewUrl['reason'],
): NewUrl => ({
  crawler: definition.name,
  url: url.href,
  key: computeUrlKey(url.href),
  hostKey: getHostKey(url),
  hops: 1,
  redirects: 0,
  root: roots.findLikely(url)?.url.href,
  source: INDEX_FOLLOW,
  status: 'waiting',
  reason,
  discoveredVia: 'link',
  dueAt,
});
