import type { Crawler } from '../crawl/crawler.js';
import type { EngineMetrics } from '../crawl/load/engine-metrics.js';

/** The counters of all crawlers: kept apart where they are counted per crawler, otherwise added up. */
export function mergeMetrics(
  crawlers: readonly Crawler[],
  heldDeletions: number,
): Omit<EngineMetrics, 'commandsSetAside'> {
  const all = crawlers.map((crawler) => crawler.getMetrics());
  const fetchSeconds = all.map((metrics) => metrics.fetchSeconds);
  return {
    pages: all.flatMap((metrics) => metrics.pages),
    unread: all.flatMap((metrics) => metrics.unread),
    rendering: all.flatMap((metrics) => metrics.rendering),
    needRendering: all.flatMap((metrics) => metrics.needRendering),
    bytes: all.flatMap((metrics) => metrics.bytes),
    links: all.flatMap((metrics) => metrics.links),
    orders: all.flatMap((metrics) => metrics.orders),
    visitPrices: all.flatMap((metrics) => metrics.visitPrices),
    fetchSeconds: {
      sum: fetchSeconds.reduce((sum, histogram) => sum + histogram.sum, 0),
      count: fetchSeconds.reduce((sum, histogram) => sum + histogram.count, 0),
      buckets: (fetchSeconds[0]?.buckets ?? []).map(([le], i) => [
        le,
        fetchSeconds.reduce((sum, histogram) => sum + histogram.buckets[i]![1], 0),
      ]),
    },
    heldDeletions,
    activeFetches: all.reduce((sum, metrics) => sum + metrics.activeFetches, 0),
    visitsInFlight: all.reduce((sum, metrics) => sum + metrics.visitsInFlight, 0),
  };
}
