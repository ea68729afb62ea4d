import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import { getSourceName, SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import type { QueuedUrl } from '../../engine/ports/frontier-store.js';
import type { CrawlerView, SourceView } from '../../engine/views/crawler-views.js';
import { boolean, counts, integer, listOf, number, oneOf, schema, text, time, timeAhead } from '../http/schema.js';

const sourceSchema = schema<SourceView>()('Source', {
  name: oneOf(SOURCES),
  number: integer(1, undefined, { minimum: 0, maximum: 5 }),
  weight: number(2.5, 'Share of the picks, relative to the other sources.'),
  depth: integer(12, 'Queued URLs, whether or not they are due.'),
  picks: integer(2, 'Picks since the start of the process.'),
});

/** The URL of a source that has been due longest. */
export const oldestSchema = schema<QueuedUrl & { readonly source: SourceNumber }>()('Oldest', {
  source: oneOf(SOURCES).by(({ source }: { readonly source: SourceNumber }) => getSourceName(source)),
  url: text('https://www.example.com/docs/start.html'),
  dueAt: timeAhead('When the URL is due; in the past if it is waiting.'),
});

const RATE = number(2.5, 'Rate over the last minute.');

export const crawlerSchema = schema<CrawlerView>()('Crawler', {
  name: text('docs'),
  state: oneOf(['running', 'paused', 'stopped']),
  counts: counts({ indexed: 42, waiting: 12, error: 3 }, `URLs by status: ${URL_STATUSES.join(', ')}.`).by(
    (view: CrawlerView) => view.counts.byStatus,
  ),
  indexed: integer(42, 'Documents in the index.').by((view: CrawlerView) => view.counts.indexed),
  sources: listOf(sourceSchema),
  pagesPerSecond: RATE,
  errorsPerSecond: RATE,
  ordersPerSecond: RATE,
  active: integer(3, 'Pages currently being fetched.'),
  pendingOrders: integer(12, 'Orders decided and not yet acknowledged.'),
  limitedBy: text(
    'politeness: 93 % of the due URLs are on www.example.com; next request in 1.5 s',
    'What limits the speed right now, in words.',
  ),
  nextRequestAt: timeAhead().optional(),
  oldestDueAt: time('Due time of the URL that has been waiting longest.')
    .optional()
    .by((view: CrawlerView) => view.counts.oldestDueAt),
  idle: boolean('Whether nothing is due and nothing is in flight.'),
});
