import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CHANGE_KINDS, type ChangeKind } from '../../domain/push/changes.js';
import { before, days, type Instant, instant, milliseconds } from '../../domain/time/units.js';
import type { ChangesView } from '../../engine/control/index-changes.js';
import type { TextChange } from '../../engine/crawl/outcome/page-texts.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import { CrawlerFilter, IfGiven, IsLimit, IsOneOf, IsText, isTimestamp } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { type Answer, boolean, integer, listOf, one, oneOf, schema, text, time, url } from '../http/schema.js';
import type { ServerOptions } from '../options.js';
import { API, CLOCK, ENGINE, OPTIONS } from '../tokens.js';
import { toAtomFeed, toJsonFeed } from './feeds.js';

const ATOM_TYPE = 'application/atom+xml';
const JSON_FEED_TYPE = 'application/feed+json';
const ATOM_EXAMPLE =
  '<feed xmlns="http://www.w3.org/2005/Atom"><title>Changes of the index: 1 new, 0 changed, 0 gone</title></feed>';
const JSON_FEED_EXAMPLE =
  '{"version":"https://jsonfeed.org/version/1.1","title":"Changes of the index: 1 new, 0 changed, 0 gone","items":[]}';
const DEFAULT_PERIOD = days(7);

const PERIOD_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A period, or something that looks like a date and a time. */
const SINCE = /^(\d{1,6}[mhd]|\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2}))$/;

class ChangesQuery {
  @ApiProperty({
    required: false,
    default: '7d',
    description: 'A time (`2026-03-01T08:00:00Z`), or a period up to now: `24h`, `7d`, `30m`.',
    example: '24h',
    pattern: '^\\d{1,6}[mhd]$',
  })
  @IfGiven()
  @Matches(SINCE, { message: '$property must be a time such as 2026-03-01T08:00:00Z, or a period such as 24h or 7d' })
  since?: string;

  @CrawlerFilter('Only documents of this crawler.')
  crawler?: string;

  @IsText({
    required: false,
    description: 'Only URLs that begin with this, with or without the scheme.',
    example: 'www.example.com/docs/',
    maxLength: MAX_URL,
  })
  section?: string;

  @IsOneOf(CHANGE_KINDS, { required: false, description: 'Only documents with this change.' })
  change?: ChangeKind;

  @IsLimit('Maximum number of documents.')
  limit: number = 100;
}

class TextQuery {
  @IsText({ minLength: 1, maxLength: 256, description: 'Name of the crawler.' })
  crawler!: string;

  @IsText({ minLength: 1, maxLength: MAX_URL, description: 'The URL of the document.' })
  url!: string;
}

const textChangeSchema = schema<TextChange>()('TextChange', {
  at: time('When the changed document was sent to the sinks.'),
  before: text('Open daily from 9 to 5.', 'The text before; absent if no sink could be asked for it.').optional(),
  after: text('Open daily from 10 to 4.'),
  isCut: boolean('Whether a text is longer than is kept of it.'),
});

const changeCountsSchema = schema<ChangesView['counts']>()('ChangeCounts', {
  new: integer(12, 'Documents that were not in the index before.'),
  changed: integer(40),
  gone: integer(3, 'Documents that were deleted from the index.'),
});

const sectionSchema = schema<ChangesView['sections'][number]>()('ChangedSection', {
  section: text('www.example.com/docs/', 'Host and first folder.'),
  counts: one(changeCountsSchema),
});

const CHANGE = oneOf(CHANGE_KINDS);

const reasonSchema = schema<ChangesView['reasons'][number]>()('ChangeReason', {
  change: CHANGE,
  reason: text('http-404', 'Why; `GET /reasons` explains the code.'),
  count: integer(3),
});

const documentSchema = schema<ChangesView['documents'][number]>()('ChangedDocument', {
  crawler: text('docs'),
  uri: url(),
  title: text('Getting started').optional(),
  change: CHANGE,
  reason: text('http-404', 'Reason of the newest order.'),
  at: time('When the newest order was decided.').from('decidedAt'),
  order: integer(3, 'Number of the newest order.').from('id'),
});

const changesSchema = schema<ChangesView>()('Changes', {
  since: time(),
  until: time(),
  counts: one(changeCountsSchema),
  sections: listOf(sectionSchema, 'Those with the most changes first, at most 200.'),
  reasons: listOf(reasonSchema),
  documents: listOf(documentSchema, 'The newest ones.'),
  complete: boolean('False if there are more orders since then than are read (200,000): the counts are too low.'),
});

@Controller(`${API}/changes`)
export class ChangesController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPTIONS) private readonly options: ServerOptions,
  ) {}

  @Get()
  @Operation({
    id: 'listChanges',
    searches: true,
    summary: 'What is new, changed and gone in the index',
    description:
      'Compares the index now with the index at a time, from the ledger of orders, which goes back 30 days or a million orders. A document that was only sent again has not changed; one that came and went is left out.',
    role: 'read',
    crawlers: 'query',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: changesSchema.ref })
  async list(@Query() query: ChangesQuery): Promise<Answer<typeof changesSchema>> {
    return changesSchema.from(await this.read(query));
  }

  @Get('atom')
  @Operation({
    id: 'getAtomFeed',
    searches: true,
    summary: 'Changes of the index as an Atom feed',
    description: 'Takes the parameters of `listChanges`. An entry is one change of one document.',
    role: 'read',
    crawlers: 'query',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({
    description: 'The feed.',
    content: { [ATOM_TYPE]: { schema: { type: 'string' }, example: ATOM_EXAMPLE } },
  })
  async getAtom(
    @Query() query: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const feed = toAtomFeed(await this.read(query), this.getAddress(request));
    reply.type(`${ATOM_TYPE}; charset=utf-8`);
    return feed;
  }

  @Get('json-feed')
  @Operation({
    id: 'getJsonFeed',
    searches: true,
    summary: 'Changes of the index as a JSON feed',
    description: 'Takes the parameters of `listChanges`; version 1.1 of jsonfeed.org.',
    role: 'read',
    crawlers: 'query',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({
    description: 'The feed.',
    content: { [JSON_FEED_TYPE]: { schema: { type: 'object' }, example: JSON.parse(JSON_FEED_EXAMPLE) } },
  })
  async getJson(
    @Query() query: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const feed = toJsonFeed(await this.read(query), this.getAddress(request));
    reply.type(JSON_FEED_TYPE);
    return feed;
  }

  @Get('text')
  @Operation({
    id: 'compareTexts',
    summary: 'The text of a document before and after its changes',
    description:
      'Newest first. Texts are kept for crawlers with `cw:KeepTexts` in the configuration, for as long as it says; otherwise, the list is empty.',
    role: 'read',
    crawlers: 'query',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(textChangeSchema)
  async listTextChanges(@Query() { crawler, url }: TextQuery): Promise<Page<Answer<typeof textChangeSchema>>> {
    const changes = await this.engine.reports.changes.listTextChanges(crawler, url);
    return { items: changes.map(textChangeSchema.from), next: null };
  }

  private read({ since, ...request }: ChangesQuery): Promise<ChangesView> {
    return this.engine.reports.changes.list({ ...request, since: this.parseSince(since) });
  }

  private parseSince(since: string | undefined): Instant {
    const now = this.clock.now();
    if (since === undefined) return before(now, DEFAULT_PERIOD);
    const unit = PERIOD_MS[since.at(-1)!];
    if (unit !== undefined) return before(now, milliseconds(Number.parseInt(since, 10) * unit));
    if (isTimestamp(since)) return instant(Date.parse(since));
    throw new ProblemException('invalid-request', `since is not a time: ${JSON.stringify(since)}`);
  }

  /** Where the reader has found the feed. */
  private getAddress({ protocol, host, url: path }: FastifyRequest): string {
    const { publicUrl } = this.options;
    return new URL(path, publicUrl ?? `${protocol}://${host}`).href;
  }
}
