import { SINK_TYPE_NAMES } from '../../domain/push/sink-types.js';
import type { AdoptionReport } from '../../engine/control/sink-adoption.js';
import type { SwitchReport } from '../../engine/control/sink-switch.js';
import type { SinkView } from '../../engine/delivery/sink-view.js';
import type { OwedCount } from '../../engine/ports/owed-orders.js';
import type { BackfillView, ReconciliationReport } from '../../engine/views/delivery-views.js';
import {
  boolean,
  integer,
  list,
  listOf,
  one,
  oneOf,
  ownSchema,
  schema,
  text,
  time,
  timeAhead,
} from '../http/schema.js';

export const backfillSchema = schema<BackfillView>()('Backfill', {
  crawler: text('docs'),
  state: oneOf(['running', 'done']),
  why: oneOf(
    ['added', 'asked', 'access', 'replaced'],
    '`added`: the sink was new; `asked`: requested by a call; `access`: who may see the documents has changed; `replaced`: the index, table or topic was deleted, or created again.',
  ),
  total: integer(42, 'Documents that were indexed, or refused by a sink, when the backfill began.'),
  done: integer(42, 'Number of these documents that have been examined.'),
  sent: integer(42, 'Number of these documents that needed no visit.'),
  waitingVisits: integer(3, 'Visits that are due or in flight and have not ended yet.'),
  from: text('archive', 'The sink from which documents are copied; absent: pages are visited.').optional(),
  message: text('the sink is not responding', 'What is delaying the backfill.').optional(),
  startedAt: time(),
  endedAt: time().optional(),
});

const behindSchema = schema<OwedCount>()('Behind', {
  crawler: text('docs'),
  documents: integer(120, 'Documents and deletions that the sink is owed.'),
  since: time('When the first of these orders was put off.', '2026-01-15T09:30:00.000Z'),
});

export interface ListedSink extends SinkView {
  readonly crawlers: readonly string[];
  readonly backfills: readonly BackfillView[];
  readonly behind: readonly OwedCount[];
  readonly lacking: number;
  readonly searchPage: string | undefined;
}

export const sinkSchema = schema<ListedSink>()('Sink', {
  name: text('search'),
  type: oneOf(SINK_TYPE_NAMES),
  state: oneOf(['ready', 'unavailable']),
  message: text('connect ECONNREFUSED 192.0.2.7:9200', 'The last failure, in words.').optional(),
  pending: integer(3, 'Orders on the way to the sink.'),
  pendingBytes: integer(2048),
  acknowledged: integer(42, 'Orders acknowledged since the start of the process.'),
  refused: integer(2, 'Orders refused since the start of the process.'),
  lacking: integer(
    2,
    'Orders that the sink refused and that nothing has replaced since, whenever that was; at most 1,000 are counted. `orders retry` sends them again.',
  ),
  superseded: integer(
    0,
    'Orders since the start of the process for which the sink keeps a newer version of the document (external versions).',
  ),
  lastRefusal: text(
    'document_parsing_exception: cannot parse title',
    'Message with which the sink last refused an order.',
  ).optional(),
  nextAttemptAt: timeAhead().optional(),
  comparable: boolean('Whether the sink can list what it holds, and can therefore be compared with the store.'),
  alias: text('web', 'Elasticsearch, OpenSearch: the alias that `switch` moves to the index of the sink.').optional(),
  adoptable: boolean('Whether `adopt` can replace documents that another program has put there.'),
  connector: text('crawlway', '`papi`: the name of the connector under which documents are pushed.').optional(),
  warning: text(
    'It holds documents that belong to no crawler on this server (1 of the 42 examined, such as https://www.example.com/old.html). If another server pushes there, give this sink its own connector or index; if this one takes its place, adopt them (crawlway sinks adopt); if they are left over, delete them (crawlway sinks reconcile, with --repair)',
    'A possible problem that an operator should check, even though orders are being sent: the sink holds documents that no crawler of this server knows.',
  ).optional(),
  crawlers: list(text('docs'), 'Crawlers that push to the sink.'),
  backfills: listOf(
    backfillSchema,
    'Backfills with documents that were already indexed, by crawler: the current or most recent one.',
  ),
  behind: listOf(
    behindSchema,
    'What the sink has yet to receive because it was slow or down while other sinks of the crawler kept up, by crawler. Empty if there is nothing.',
  ),
  searchPage: text(
    'http://localhost:8091/',
    'Where the documents of the sink can be searched; only for the bundled index.',
    { format: 'uri' },
  ).optional(),
});

const differenceSchema = ownSchema('Difference', {
  count: integer(3),
  samples: list(text('https://www.example.com/a.html'), 'A sample of the URIs.'),
});

export const reconciliationSchema = schema<ReconciliationReport>()('Reconciliation', {
  sink: text('search'),
  at: time(),
  compared: integer(42),
  missing: one(differenceSchema, 'Documents that are indexed according to the store, but absent at the sink.'),
  extra: one(differenceSchema, 'Documents that are at the sink, but not indexed according to the store.'),
  stale: one(differenceSchema, 'Documents that are at the sink with a different stamp.'),
  inFlight: integer(0, 'Absent from the sink, but just being visited or delivered.'),
  repaired: boolean('Whether orders were sent to fix the differences.'),
});

export const switchSchema = schema<SwitchReport>()('SinkSwitch', {
  sink: text('search'),
  alias: text('web'),
  from: list(text('web-1'), 'The indexes that had the alias.'),
  to: list(text('web-2'), 'The indexes that have it now.'),
  compared: integer(42, 'Number of documents that were compared before; 0 without a comparison.'),
});

export const adoptionSchema = schema<AdoptionReport>()('SinkAdoption', {
  sink: text('search'),
  found: integer(3000, 'Documents of another program.'),
  replaced: integer(2900, 'Removed, because the sink has its own document of the URL.'),
  waiting: integer(80, 'They stay until their pages have been visited and pushed.'),
  kept: one(
    differenceSchema,
    'They stay: they have no URL, no crawler of the sink accepts it, or its page was visited and has no document.',
  ),
});
