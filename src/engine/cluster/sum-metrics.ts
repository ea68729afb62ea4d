import type { Crawler } from '../crawl/crawler.js';
import type { EngineMetrics } from '../crawl/engine-metrics.js';

/** The counters of all crawlers: kept apart where they are counted per crawler, otherwise added up. */
export function sumMetrics(
  crawlers: readonly Crawler[],
  heldDeletions: number,
): Omit<EngineMetrics, 'commandsSetAside'> {
  const all = crawlers.map((crawler) => crawler.getMetrics());
  const fetchSeconds = all.map((one) => one.fetchSeconds);
  return {
    pages: all.flatMap((one) => one.pages),
    unread: all.flatMap((one) => one.unread),
    rendering: all.flatMap((one) => one.rendering),
    needRendering: all.flatMap((one) => one.needRendering),
    bytes: all.flatMap((one) => one.bytes),
    links: all.flatMap((one) => one.links),
    orders: all.flatMap((one) => one.orders),
    visitPrices: all.flatMap((one) => one.visitPrices),
    fetchSeconds: {
      sum: fetchSeconds.reduce((sum, one) => sum + one.sum, 0),
      count: fetchSeconds.reduce((sum, one) => sum + one.count, 0),
      buckets: (fetchSeconds[0]?.buckets ?? []).map(([le], i) => [
        le,
        fetchSeconds.reduce((sum, one) => sum + one.buckets[i]![1], 0),
      ]),
    },
    heldDeletions,
    activeFetches: all.reduce((sum, one) => sum + one.activeFetches, 0),
  };
}
