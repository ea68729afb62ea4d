import type { RefusedSample } from '../../domain/explain/facts.js';
import type { Visit } from '../../engine/ports/frontier-store.js';
import type { OwedOrder } from '../../engine/ports/owed-orders.js';
import type { LinkView, UrlExplanation, UrlHistory } from '../../engine/views/url-views.js';
import { boolean, integer, list, listOf, one, oneOf, schema, seconds, text, time, url } from '../http/schema.js';
import { orderSchema } from '../orders/order.schema.js';
import { explanationSchema, headlineSchema, queueSchema, robotsOpinionSchema } from './explanation.schema.js';
import { urlStateSchema } from './url-state.schema.js';

const visitSchema = schema<Visit>()('Visit', {
  at: time(),
  status: integer(200, 'HTTP status; absent if there was no response.').optional(),
  outcome: text(
    'document',
    '`document`, `unchanged`, `redirect`, `sitemap`, an error code, or the reason why the page was left out.',
  ),
  detail: text('the server responded with 404').optional(),
  durationSeconds: seconds(0.5).from('duration'),
  bytes: integer(2048),
  changed: boolean('Whether the content differs from that of the previous visit. Never true for the first visit.'),
});

export const linkSchema = schema<LinkView>()('Link', {
  url: url(),
  kind: text('a', 'Kind of link: a, area, frame, redirect, …'),
  explanation: one(explanationSchema),
  state: one(urlStateSchema, 'Absent if the URL is not stored.').optional(),
  robots: one(robotsOpinionSchema, 'Absent if robots.txt of its site was not fetched for this call.').optional(),
  onlyRendered: boolean(
    'On a rendered page: whether scripts created the link, so that it is not on the page as it was sent.',
  ).optional(),
});

const urlBehindSchema = schema<OwedOrder>()('UrlBehind', {
  sink: text('search'),
  since: time('When the first missed order was put off.', '2026-01-15T09:30:00.000Z'),
});

const refusedLinkSchema = schema<RefusedSample>()('RefusedLink', {
  from: text('https://www.example.com/', 'The page with the link.'),
  reason: text('http-404', 'Reason code.'),
});

/** What is known about any URL. */
const KNOWN = {
  queue: one(queueSchema, 'Absent if the configuration rejects the URL.').optional(),
  visits: listOf(visitSchema, 'Fetches on record, newest first.'),
  orders: listOf(orderSchema, 'Push orders on record, newest first.'),
  behind: listOf(urlBehindSchema, 'Sinks that are behind and are owed this URL.').from('owedOrders'),
  refusedLinks: listOf(refusedLinkSchema, 'Refused links to the URL, among the samples that are kept.').from('refused'),
};

export const urlHistorySchema = schema<UrlHistory>()('UrlHistory', {
  state: one(urlStateSchema),
  path: list(url(), 'How the URL was found: the chain from the root to it, as far as known.'),
  headline: one(headlineSchema),
  explanation: one(explanationSchema),
  robots: one(robotsOpinionSchema),
  ...KNOWN,
  listedLinks: listOf(
    linkSchema,
    'Links of the page that were listed but not queued, because `followLinks` of its root is off.',
  ),
});

const { verdict, trace } = explanationSchema.fields;

export const judgedSchema = schema<UrlExplanation>()('Judged', {
  verdict: verdict.by(({ explanation }: UrlExplanation) => explanation.verdict),
  trace: trace.by(({ explanation }: UrlExplanation) => explanation.trace),
  url: url('Canonical URL that was judged.').by(({ candidate }: UrlExplanation) => candidate.url.href),
  headline: one(headlineSchema, 'The result in one sentence; the other fields explain it.'),
  discoveredVia: oneOf(
    ['root', 'link', 'redirect', 'sitemap', 'stored'],
    'How the URL is assumed to have been discovered.',
  ).by(({ candidate }: UrlExplanation) => candidate.discoveredVia),
  from: text('https://www.example.com/')
    .optional()
    .by(({ candidate }: UrlExplanation) => candidate.from?.href),
  hops: integer(2, 'Links between the root and this URL.').by(({ candidate }: UrlExplanation) => candidate.hops),
  address: text('192.0.2.7', 'IP address of the host, if it was looked up.')
    .optional()
    .by(({ candidate }: UrlExplanation) => candidate.address ?? undefined),
  robots: one(robotsOpinionSchema, 'Not part of the verdict: robots.txt is checked before each fetch.'),
  state: one(urlStateSchema, 'Absent if the URL is not stored.').optional(),
  ...KNOWN,
});
