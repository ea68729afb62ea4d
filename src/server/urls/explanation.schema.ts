import type { Place } from '../../domain/crawl/place.js';
import type { MetaDefinition, UrlOptions } from '../../domain/crawl/policy-definition.js';
import type { RobotsOpinion } from '../../domain/explain/facts.js';
import type { Headline } from '../../domain/explain/headline.js';
import { type QueueAssignment, SOURCES } from '../../domain/frontier/sources.js';
import { REASONS } from '../../domain/policy/reasons.js';
import { type Effects, type Explanation, LAYERS, type TraceStep, type Verdict } from '../../domain/policy/verdict.js';
import { boolean, integer, list, listOf, one, oneOf, schema, seconds, text, time } from '../http/schema.js';

export const headlineSchema = schema<Headline>()('Headline', {
  fate: oneOf(
    ['in-index', 'on-its-way', 'not-in-index'],
    'in-index: the sinks hold its document; on-its-way: it will be indexed without further action; not-in-index: it stays out until something changes.',
  ),
  reason: text('rule-ignored', 'The reason code or error code that decides; `never-linked` if there is none.'),
  text: text(
    'A crawl rule rejects the URL, so it is not crawled.',
    'What happened to the URL, in one or two sentences.',
  ),
  nextStep: text(
    'Change that rule, or put a rule with Accept after it.',
    'What to do next. Absent if there is nothing to do.',
  ).optional(),
});

export const queueSchema = schema<QueueAssignment>()('Queue', {
  natural: oneOf(SOURCES, 'Source that follows from how the URL was found and what the rules allow.'),
  shift: integer(1, 'Priority shift set by rules and the root; negative values mean earlier.'),
  source: oneOf(SOURCES, 'The source in which the URL is queued: the natural one, moved by the shift.'),
});

/** A position in a text, counted from 1. */
export const LINE = integer(2, undefined, { minimum: 1 });
export const COLUMN = integer(1, undefined, { minimum: 1 });

export const placeSchema = schema<Place>()('Place', { file: text('CrawlConfig.xml'), line: LINE, column: COLUMN });

const metaSchema = schema<MetaDefinition>()('Meta', { name: text('department'), value: text('Sales') });

const urlOptionsSchema = schema<UrlOptions>()('UrlOptions', {
  defaultAllow: oneOf(['allow', 'disallow', 'disallow-log']).optional(),
  maxHops: integer(1).optional(),
  throttleSeconds: seconds(2.5).optional().from('throttle'),
  concurrencyPerHost: integer(2).optional(),
  connectTimeoutSeconds: seconds(30).optional().from('connectTimeout'),
  totalTimeoutSeconds: seconds(30).optional().from('totalTimeout'),
  maxSizeBytes: integer(104_857_600, 'Maximum size of a document after decoding.').optional().from('maxSize'),
  userAgent: text('crawlway/1.0 (+https://www.example.com/bot)').optional(),
  headers: list(text('X-Team'), 'Names of request headers, without their values, which may be secrets.')
    .optional()
    .by(({ headers }: UrlOptions) => headers && Object.keys(headers)),
  credentials: boolean('Whether a login is sent; the login itself is never shown.')
    .optional()
    .by(({ credentials }: UrlOptions) => (credentials === undefined ? undefined : true)),
  proxy: text('proxy.example.com:3128', 'Host and port of the proxy.')
    .optional()
    .by(({ proxy }: UrlOptions) => proxy && URL.parse(String(proxy))?.host),
  fetcher: text('default', "Name of the fetcher that is used instead of the crawler's.").optional(),
  obeyRobots: boolean().optional(),
  nearDuplicateDetector: boolean().optional(),
  refreshMinimumAgeSeconds: seconds(86_400).optional().from('refreshMinimumAge'),
  refreshMaximumAgeSeconds: seconds(604_800).optional().from('refreshMaximumAge'),
  errorExpirySeconds: seconds(86_400).optional().from('errorExpiry'),
});

const effectsSchema = schema<Effects>()('Effects', {
  index: boolean(),
  follow: boolean(),
  source: text('docs', 'Source under which the document is pushed.').optional(),
  priorityShift: integer(1, undefined, { minimum: -2, maximum: 2 }),
  metas: listOf(metaSchema),
  options: one(urlOptionsSchema),
  periodSeconds: seconds(86_400, 'Time between visits, from a server record.').optional().from('period'),
});

export const verdictSchema = schema<Verdict>()('Verdict', {
  accepted: boolean(),
  reason: text('rule-ignored', 'Stable reason code; `GET /reasons` lists all.'),
  meaning: text(
    'The last matching crawl rule with an Accept or Ignore action uses Ignore.',
    'What the reason code means.',
  ).by(({ reason }: Verdict) => REASONS[reason].meaning),
  remedy: text(
    'Change that rule, or put a rule with Accept after it.',
    'What to change if this verdict is not what you want.',
  ).by(({ reason }: Verdict) => REASONS[reason].remedy),
  layer: oneOf(LAYERS, 'The layer that decided.').optional(),
  place: one(placeSchema, 'The place in the configuration that determines the verdict.').optional(),
  detail: text('rule 3 ignores it', 'Details, in one sentence.').optional(),
  effects: one(effectsSchema, 'What an accepted URL may do and how it is fetched.'),
  status: oneOf([760, 761], 'Status of a stored URL outside the crawl space.').optional(),
  keepDocument: boolean('Whether the document stays in the index although the URL is no longer crawled.'),
  needsAddress: boolean("Whether address rules are waiting until the host's address is known."),
});

export const traceStepSchema = schema<TraceStep>()('TraceStep', {
  layer: oneOf(LAYERS),
  test: text('rule 3: host is www.example.com', 'What was tested, in words.'),
  outcome: oneOf(['accept', 'reject', 'set', 'no match', 'not configured', 'not evaluated', 'pending']),
  reason: text('http-404').optional(),
  place: one(placeSchema).optional(),
  effect: text('index=no', 'What the rule changed.').optional(),
});

export const explanationSchema = schema<Explanation>()('Explanation', {
  verdict: one(verdictSchema),
  trace: listOf(traceStepSchema, 'Every layer and rule, in the order of evaluation.'),
});

export const robotsOpinionSchema = schema<RobotsOpinion>()('RobotsOpinion', {
  state: oneOf(
    ['allowed', 'disallowed', 'unknown', 'unreachable', 'ignored'],
    'ignored: the configuration does not use robots.txt; unknown: it has not been fetched yet; unreachable: nothing is allowed until it can be read.',
  ),
  agent: text('crawlway', 'The product token that the rule addresses.'),
  rule: text('Disallow: /private', 'The rule that decides; absent if there is none.').optional(),
  line: integer(2, 'Line of the rule.', { minimum: 1 }).optional(),
  fetchedAt: time().optional(),
  status: text('200', 'HTTP status with which robots.txt was fetched, or the code of the failure.').optional(),
});
