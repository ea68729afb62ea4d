import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { QueueAssignment } from '../../domain/frontier/sources.js';
import { createMatchedView, type MatchedEntry } from '../../domain/policy/matched-view.js';
import {
  createResolvedView,
  type ResolvedEntry,
  type ResolvedOption,
  type ResolvedUrl,
  resolveUrl,
} from '../../domain/policy/resolved.js';
import { LAYERS } from '../../domain/policy/verdict.js';
import { type EngineApi } from '../../engine/engine-api.js';
import { NotFound } from '../../engine/support/api-errors.js';
import { IsText } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import { type Answer, boolean, integer, listOf, one, oneOf, schema, text, url } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { placeSchema, queueSchema, traceStepSchema, verdictSchema } from '../urls/explanation.schema.js';

class ResolvedQuery {
  @IsText({ minLength: 1, required: false, maxLength: MAX_URL, description: 'Resolve for this URL.' })
  url?: string;

  @IsText({ required: false, maxLength: MAX_URL, description: 'The page that links to the URL.' })
  from?: string;
}

const resolvedEntrySchema = schema<ResolvedEntry>()('ResolvedEntry', {
  layer: oneOf(LAYERS),
  depth: integer(0, 'Nesting level within recursive conditions; 0 elsewhere.'),
  text: text('rule 3: host is www.example.com', 'What the rule tests, in words.'),
  effect: text('index=no', 'What the rule sets if it applies. Secrets are hidden.').optional(),
  place: one(placeSchema).optional(),
});

const matchedEntrySchema = schema<MatchedEntry>()('MatchedEntry', {
  ...resolvedEntrySchema.fields,
  matched: boolean(
    'Whether the rule matches the URL. Absent if the entry is not a rule that can match, or is inside a condition that does not apply.',
  ).optional(),
});

const resolvedViewSchema = schema<{ readonly entries: readonly ResolvedEntry[] }>()('ResolvedView', {
  entries: listOf(resolvedEntrySchema, 'Rules in the order of evaluation.'),
});

const resolvedOptionSchema = schema<ResolvedOption>()('ResolvedOption', {
  name: text('throttle'),
  value: text('2.5 s', 'The value in words, with its unit. Secrets are hidden.'),
  setBy: text('crawler docs', 'What last set the option.'),
  place: one(placeSchema).optional(),
});

interface ResolvedForUrl extends ResolvedUrl {
  readonly url: string;
  readonly entries: readonly MatchedEntry[];
  readonly queue?: QueueAssignment;
}

const resolvedUrlSchema = schema<ResolvedForUrl>()('ResolvedUrl', {
  url: url('Canonical URL.'),
  verdict: one(verdictSchema),
  steps: listOf(traceStepSchema, 'Each rule of each layer: matched or not, and what it set.'),
  entries: listOf(matchedEntrySchema, 'The whole view, in which everything that matches the URL is marked.'),
  options: listOf(resolvedOptionSchema, 'Final options.'),
  queue: one(queueSchema, 'Absent if the configuration rejects the URL.').optional(),
});

type ResolvedAnswer = Answer<typeof resolvedViewSchema> | Answer<typeof resolvedUrlSchema>;

@Controller(`${API}/config/crawlers/:crawler/resolved`)
export class ResolvedController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'getResolved',
    summary: 'The resolved view',
    description:
      'Without `url`: the whole crawl policy, expanded, in the order of evaluation. ' +
      'With `url`: what each rule did with the URL, and the final options, with the setting that determined each of them.',
    role: 'read',
    problems: { ...UNKNOWN_CRAWLER, 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({
    description: 'For the whole configuration, or for one URL.',
    schema: { oneOf: [resolvedViewSchema.ref, resolvedUrlSchema.ref] },
  })
  async get(@Param('crawler') crawler: string, @Query() { url, from }: ResolvedQuery): Promise<ResolvedAnswer> {
    const { crawlers, globalCrawlSpace } = this.engine.definition;
    const definition = crawlers.find(({ name }) => name === crawler);
    if (!definition) throw new NotFound(`there is no crawler ${JSON.stringify(crawler)}`);
    if (url === undefined)
      return resolvedViewSchema.from({ entries: createResolvedView(definition, globalCrawlSpace) });
    const { candidate, queue } = await this.engine.explanations.explain(crawler, url, from);
    return resolvedUrlSchema.from({
      url: candidate.url.href,
      queue,
      entries: createMatchedView(definition, globalCrawlSpace, candidate),
      ...resolveUrl(definition, globalCrawlSpace, candidate),
    });
  }
}
