import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import { getSourceName, SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import { PAUSE_CAUSES } from '../../domain/politeness/server-pace.js';
import type { Instant } from '../../domain/time/units.js';
import { LIMITS, type Limit } from '../../engine/crawl/load/limited-by.js';
import type { QueuedUrl } from '../../engine/ports/frontier-store.js';
import type { CrawlerView, SourceView } from '../../engine/views/crawler-views.js';
import { PAUSE_CAUSE_MEANING } from '../hosts/host.schema.js';
import {
  boolean,
  counts,
  integer,
  list,
  listOf,
  number,
  one,
  oneOf,
  schema,
  seconds,
  share,
  text,
  time,
  timeAhead,
} from '../http/schema.js';

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

/** Meanings of the kinds of limits, in the order of LIMITS. */
const LIMIT_MEANINGS = `\`paused\`, \`stopped\`: the crawler does not run. \`sink-unavailable\`: no sink accepts orders.
\`database-unavailable\`: it accepts nothing, for instance because the disk is full. \`sink-slow\`, \`database-slow\`: the maximum number of orders or pages is waiting. \`threads\`: all are fetching.
\`last-pages\`: nothing else is due. \`nothing-due\`. \`schedule\`: no due URL may be crawled now. \`quota\`: its bytes for today are used up. \`hosts-paused\`: an
operator has paused all hosts with due URLs. \`politeness\`: their hosts need a pause. \`machine\`: none of these.`;

const limitSchema = schema<Limit>()('Limit', {
  kind: oneOf(LIMITS, LIMIT_MEANINGS.replaceAll('\n', ' ')),
  sink: text('main', '`sink-unavailable`: the name of a sink.').optional(),
  message: text('no response within 10 s', '`sink-unavailable`, `database-unavailable`: its last failure.').optional(),
  threads: integer(32, '`threads`: how many there are.').optional(),
  failing: integer(3, '`nothing-due`: URLs in error, which are visited again later.').optional(),
  withheldDeletions: integer(
    2,
    '`nothing-due`: deletions and changes that are held, or wait for a sign of life.',
  ).optional(),
  quota: text('hr', '`quota`: its name.').optional(),
  until: timeAhead('`schedule`, `quota`: when crawling is allowed again; absent if never.').optional(),
  hosts: list(text('www.example.com'), '`politeness`, `hosts-paused`: the hosts with the most due URLs.').optional(),
  share: share(0.93, '`politeness`, `hosts-paused`: their share of the due URLs.').optional(),
  nextRequestAt: timeAhead('`politeness`: when the next request may be sent.').optional(),
  pauseSeconds: seconds(2.5, '`politeness`: the pause between requests to the first of the hosts.')
    .optional()
    .from('pause'),
  pauseCause: oneOf(PAUSE_CAUSES, PAUSE_CAUSE_MEANING).optional(),
});

const RATE = number(2.5, 'Rate over the last minute.');

export const crawlerSchema = schema<CrawlerView & { readonly pausedUntil?: Instant }>()('Crawler', {
  name: text('docs'),
  state: oneOf(['running', 'paused', 'stopped']),
  pausedUntil: timeAhead('When the pause ends by itself; absent if somebody has to end it.').optional(),
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
  limitedBy: one(limitSchema, 'What limits the speed right now.', {
    kind: 'politeness',
    hosts: ['www.example.com'],
    share: 0.93,
    nextRequestAt: '2026-03-09T08:15:30.000Z',
  }),
  nextRequestAt: timeAhead().optional(),
  oldestDueAt: time('Due time of the URL that has been waiting longest.')
    .optional()
    .by((view: CrawlerView) => view.counts.oldestDueAt),
  idle: boolean('Whether nothing is due and nothing is in flight.'),
});
