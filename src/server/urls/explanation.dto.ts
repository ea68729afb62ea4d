import { ApiProperty } from '@nestjs/swagger';
import type { UrlOptions } from '../../domain/crawl/policy-definition.js';
import type { RobotsOpinion } from '../../domain/explain/facts.js';
import type { Fate, Headline } from '../../domain/explain/headline.js';
import { type QueueAssignment, SOURCES, type SourceName } from '../../domain/frontier/sources.js';
import { REASONS } from '../../domain/policy/reasons.js';
import { type Effects, type Explanation, LAYERS, type TraceStep, type Verdict } from '../../domain/policy/verdict.js';
import { toDecimalSeconds, toOptionalIsoTime } from '../http/time.js';

const FATES: readonly Fate[] = ['in-index', 'on-its-way', 'not-in-index'];

export class HeadlineDto {
  @ApiProperty({
    enum: FATES,
    description:
      'in-index: the sinks hold its document; on-its-way: it will be indexed without further action; not-in-index: it stays out until something changes.',
  })
  fate!: Fate;

  @ApiProperty({ description: 'The reason code or error code that decides; `never-linked` if there is none.' })
  reason!: string;

  @ApiProperty({ description: 'What happened to the URL, in one or two sentences.' })
  text!: string;

  @ApiProperty({ required: false, description: 'What to do next. Absent if there is nothing to do.' })
  nextStep?: string;
}

export const toHeadlineDto = ({ fate, reason, text, nextStep }: Headline): HeadlineDto => ({
  fate,
  reason,
  text,
  nextStep,
});

export class QueueDto {
  @ApiProperty({
    enum: SOURCES,
    description: 'Source that follows from how the URL was found and what the rules allow.',
  })
  natural!: SourceName;

  @ApiProperty({
    type: 'integer',
    description: 'Priority shift set by rules and the root; negative values mean earlier.',
  })
  shift!: number;

  @ApiProperty({
    enum: SOURCES,
    description: 'The source in which the URL is queued: the natural one, moved by the shift.',
  })
  source!: SourceName;
}

export const toQueueDto = ({ natural, shift, source }: QueueAssignment): QueueDto => ({ natural, shift, source });

export class RefusedLinkDto {
  @ApiProperty({ description: 'The page with the link.' })
  from!: string;

  @ApiProperty({ description: 'Reason code.' })
  reason!: string;
}

export class PlaceDto {
  @ApiProperty()
  file!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  line!: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  column!: number;
}

export class MetaDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  value!: string;
}

export class UrlOptionsDto {
  @ApiProperty({ required: false, enum: ['allow', 'disallow', 'disallow-log'] })
  defaultAllow?: string;

  @ApiProperty({ required: false, type: 'integer' })
  maxHops?: number;

  @ApiProperty({ required: false })
  throttleSeconds?: number;

  @ApiProperty({ required: false, type: 'integer' })
  concurrencyPerHost?: number;

  @ApiProperty({ required: false })
  connectTimeoutSeconds?: number;

  @ApiProperty({ required: false })
  totalTimeoutSeconds?: number;

  @ApiProperty({ required: false, type: 'integer', description: 'Maximum size of a document after decoding.' })
  maxSizeBytes?: number;

  @ApiProperty({ required: false })
  userAgent?: string;

  @ApiProperty({
    required: false,
    type: [String],
    description: 'Names of request headers, without their values, which may be secrets.',
  })
  headers?: string[];

  @ApiProperty({ required: false, description: 'Whether a login is sent; the login itself is never shown.' })
  credentials?: boolean;

  @ApiProperty({ required: false, description: 'Host and port of the proxy.' })
  proxy?: string;

  @ApiProperty({ required: false, description: "Name of the fetcher that is used instead of the crawler's." })
  fetcher?: string;

  @ApiProperty({ required: false })
  obeyRobots?: boolean;

  @ApiProperty({ required: false })
  nearDuplicateDetector?: boolean;

  @ApiProperty({ required: false })
  refreshMinimumAgeSeconds?: number;

  @ApiProperty({ required: false })
  refreshMaximumAgeSeconds?: number;

  @ApiProperty({ required: false })
  errorExpirySeconds?: number;
}

export class EffectsDto {
  @ApiProperty()
  index!: boolean;

  @ApiProperty()
  follow!: boolean;

  @ApiProperty({ required: false, description: 'Source under which the document is pushed.' })
  source?: string;

  @ApiProperty({ type: 'integer', minimum: -2, maximum: 2 })
  priorityShift!: number;

  @ApiProperty({ type: () => [MetaDto] })
  metas!: MetaDto[];

  @ApiProperty({ type: () => UrlOptionsDto })
  options!: UrlOptionsDto;

  @ApiProperty({ required: false, description: 'Time between visits, from a server record.' })
  periodSeconds?: number;
}

export class VerdictDto {
  @ApiProperty()
  accepted!: boolean;

  @ApiProperty({ description: 'Stable reason code; `GET /reasons` lists all.' })
  reason!: string;

  @ApiProperty({ description: 'What the reason code means.' })
  meaning!: string;

  @ApiProperty({ description: 'What to change if this verdict is not what you want.' })
  remedy!: string;

  @ApiProperty({ required: false, enum: LAYERS, description: 'The layer that decided.' })
  layer?: string;

  @ApiProperty({
    required: false,
    type: () => PlaceDto,
    description: 'The place in the configuration that determines the verdict.',
  })
  place?: PlaceDto;

  @ApiProperty({ required: false, description: 'Details, in one sentence.' })
  detail?: string;

  @ApiProperty({ type: () => EffectsDto, description: 'What an accepted URL may do and how it is fetched.' })
  effects!: EffectsDto;

  @ApiProperty({ required: false, enum: [760, 761], description: 'Status of a stored URL outside the crawl space.' })
  status?: number;

  @ApiProperty({ description: 'Whether the document stays in the index although the URL is no longer crawled.' })
  keepDocument!: boolean;

  @ApiProperty({ description: "Whether address rules are waiting until the host's address is known." })
  needsAddress!: boolean;
}

export class TraceStepDto {
  @ApiProperty({ enum: LAYERS })
  layer!: string;

  @ApiProperty({ description: 'What was tested, in words.' })
  test!: string;

  @ApiProperty({ enum: ['accept', 'reject', 'set', 'no match', 'not configured', 'not evaluated', 'pending'] })
  outcome!: string;

  @ApiProperty({ required: false })
  reason?: string;

  @ApiProperty({ required: false, type: () => PlaceDto })
  place?: PlaceDto;

  @ApiProperty({ required: false, description: 'What the rule changed.' })
  effect?: string;
}

export class RobotsOpinionDto {
  @ApiProperty({
    enum: ['allowed', 'disallowed', 'unknown', 'unreachable', 'ignored'],
    description:
      'ignored: the configuration does not use robots.txt; unknown: it has not been fetched yet; unreachable: nothing is allowed until it can be read.',
  })
  state!: RobotsOpinion['state'];

  @ApiProperty({ description: 'The product token that the rule addresses.' })
  agent!: string;

  @ApiProperty({ required: false, description: 'The rule that decides; absent if there is none.' })
  rule?: string;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, description: 'Line of the rule.' })
  line?: number;

  @ApiProperty({ required: false, format: 'date-time' })
  fetchedAt?: string;

  @ApiProperty({
    required: false,
    description: 'HTTP status with which robots.txt was fetched, or the code of the failure.',
  })
  status?: string;
}

export const toRobotsOpinionDto = ({ fetchedAt, ...opinion }: RobotsOpinion): RobotsOpinionDto => ({
  ...opinion,
  fetchedAt: toOptionalIsoTime(fetchedAt),
});

export class ExplanationDto {
  @ApiProperty({ type: () => VerdictDto })
  verdict!: VerdictDto;

  @ApiProperty({ type: () => [TraceStepDto], description: 'Every layer and rule, in the order of evaluation.' })
  trace!: TraceStepDto[];
}

export const toExplanationDto = (explanation: Explanation): ExplanationDto => ({
  verdict: toVerdictDto(explanation.verdict),
  trace: explanation.trace.map(toTraceStepDto),
});

export const toVerdictDto = (verdict: Verdict): VerdictDto => ({
  accepted: verdict.accepted,
  reason: verdict.reason,
  meaning: REASONS[verdict.reason].meaning,
  remedy: REASONS[verdict.reason].remedy,
  layer: verdict.layer,
  place: verdict.place,
  detail: verdict.detail,
  effects: toEffectsDto(verdict.effects),
  status: verdict.status,
  keepDocument: verdict.keepDocument,
  needsAddress: verdict.needsAddress,
});

export const toTraceStepDto = ({ layer, test, outcome, reason, place, effect }: TraceStep): TraceStepDto => ({
  layer,
  test,
  outcome,
  reason,
  place,
  effect,
});

const toEffectsDto = (effects: Effects): EffectsDto => ({
  index: effects.index,
  follow: effects.follow,
  source: effects.source,
  priorityShift: effects.priorityShift,
  metas: effects.metas.map(({ name, value }) => ({ name, value })),
  options: toUrlOptionsDto(effects.options),
  periodSeconds: toDecimalSeconds(effects.period),
});

export const toUrlOptionsDto = (options: UrlOptions): UrlOptionsDto => ({
  defaultAllow: options.defaultAllow,
  maxHops: options.maxHops,
  throttleSeconds: toDecimalSeconds(options.throttle),
  concurrencyPerHost: options.concurrencyPerHost,
  connectTimeoutSeconds: toDecimalSeconds(options.connectTimeout),
  totalTimeoutSeconds: toDecimalSeconds(options.totalTimeout),
  maxSizeBytes: options.maxSize,
  userAgent: options.userAgent,
  headers: options.headers && Object.keys(options.headers),
  credentials: options.credentials === undefined ? undefined : true,
  proxy: options.proxy && URL.parse(String(options.proxy))?.host,
  fetcher: options.fetcher,
  obeyRobots: options.obeyRobots,
  nearDuplicateDetector: options.nearDuplicateDetector,
  refreshMinimumAgeSeconds: toDecimalSeconds(options.refreshMinimumAge),
  refreshMaximumAgeSeconds: toDecimalSeconds(options.refreshMaximumAge),
  errorExpirySeconds: toDecimalSeconds(options.errorExpiry),
});
