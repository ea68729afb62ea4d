import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QUOTA_LIMITS } from '../../domain/crawl/quota-definition.js';
import { before, days, type Instant } from '../../domain/time/units.js';
import type { QuotaView } from '../../engine/crawl/load/quotas.js';
import type { UsageEntry } from '../../engine/crawl/load/usage.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { Clock } from '../../engine/ports/clock.js';
import { answerAsFile, CSV_TYPE, toCsvLine } from '../http/csv.js';
import { CrawlerFilter, IfGiven, IsOneOf } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import {
  type Answer,
  boolean,
  integer,
  list,
  listOf,
  oneOf,
  schema,
  seconds,
  text,
  timeAhead,
} from '../http/schema.js';
import { API, CLOCK, ENGINE } from '../tokens.js';

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const DAY_PROBLEM = { message: '$property must be a day such as 2026-03-09' };
const DEFAULT_PERIOD = days(29);

class UsageQuery {
  @ApiProperty({
    required: false,
    pattern: DAY.source,
    description: 'The first day (UTC). Default: 29 days ago.',
    example: '2026-03-01',
  })
  @IfGiven()
  @Matches(DAY, DAY_PROBLEM)
  from?: string;

  @ApiProperty({
    required: false,
    pattern: DAY.source,
    description: 'The last day (UTC). Default: today.',
    example: '2026-03-31',
  })
  @IfGiven()
  @Matches(DAY, DAY_PROBLEM)
  to?: string;

  @CrawlerFilter('Only this crawler.')
  crawler?: string;

  @IsOneOf(['json', 'csv'], { required: false, default: 'json' })
  format?: 'json' | 'csv';
}

const daySchema = schema<UsageEntry>()('UsageOfDay', {
  day: text('2026-03-02', 'The day (UTC).'),
  crawler: text('docs', 'The crawler; it may have been removed since.'),
  visits: integer(1200, 'Visits of pages.'),
  bytes: integer(48_000_000, 'Bytes received.'),
  renderedSeconds: seconds(310, 'Time for rendering pages.').by(({ rendering }: UsageEntry) => rendering),
  urls: integer(5400, 'Stored URLs when the crawler last worked on that day.'),
  documents: integer(4100, 'Documents in the index at that time.'),
});

const toShownAmount = ({ limit }: QuotaView, amount: number): number =>
  limit === 'rendering' ? Math.floor(amount / 60_000) : amount;

const quotaSchema = schema<QuotaView>()('QuotaLimit', {
  quota: text('hr', 'Name of the quota.'),
  crawlers: list(text('hr-intranet'), 'The crawlers that share it; empty: all.'),
  limit: oneOf(QUOTA_LIMITS, '`bytes` and `rendering` (in minutes) are limits per day, the others of what is stored.'),
  max: integer(5_000_000_000).by((view: QuotaView) => toShownAmount(view, view.max)),
  used: integer(5_000_001_200, 'What the crawlers have used of it together.').by((view: QuotaView) =>
    toShownAmount(view, view.used),
  ),
  reached: boolean('Whether nothing is left of it.'),
  until: timeAhead('If it has been reached and is a limit per day: when it begins anew.').optional(),
});

interface UsageView {
  readonly days: readonly UsageEntry[];
  readonly quotas: readonly QuotaView[];
}

const usageSchema = schema<UsageView>()('Usage', {
  days: listOf(daySchema, 'By day and crawler; days without a visit are left out.'),
  quotas: listOf(quotaSchema, 'The limits that are configured, with what is used of them now.'),
});

type UsageAnswer = Answer<typeof usageSchema>;

const COLUMNS = ['day', 'crawler', 'visits', 'bytes', 'renderedSeconds', 'urls', 'documents'] as const;
const CSV_EXAMPLE = `${COLUMNS.join(',')}\n2026-03-02,docs,1200,48000000,310,5400,4100\n`;

@Controller(`${API}/usage`)
export class UsageController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    id: 'getUsage',
    summary: 'What crawlers use, by day, and their quotas',
    description:
      'Kept for 400 days, also for crawlers that have been removed. `format=csv`, or text/csv in Accept, returns the days as a file, without the quotas.',
    role: 'read',
    crawlers: 'handler',
  })
  @ApiOkResponse({
    content: {
      'application/json': { schema: usageSchema.ref },
      [CSV_TYPE]: { schema: { type: 'string' }, example: CSV_EXAMPLE },
    },
  })
  async get(
    @Query() query: UsageQuery,
    @Req() { crawlers: own, headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsageAnswer | string> {
    const { from = toDay(before(this.clock.now(), DEFAULT_PERIOD)), to = toDay(this.clock.now()), crawler } = query;
    const named = crawler === undefined ? own : new Set([crawler].filter((name) => !own || own.has(name)));
    const answer = usageSchema.from({
      days: await this.engine.reports.usage.list({ from, to, crawlers: named }),
      quotas: this.engine.reports.quotas.list().flatMap((quota) => limitToOwn(quota, named)),
    });
    const format = query.format ?? (headers.accept?.startsWith(CSV_TYPE) ? 'csv' : 'json');
    if (format === 'json') return answer;
    answerAsFile(reply, 'usage', format);
    return `${COLUMNS.join(',')}\r\n${answer.days.map((day) => toCsvLine(day, COLUMNS)).join('')}`;
  }
}

const toDay = (at: Instant): string => new Date(at).toISOString().slice(0, 10);

/** A quota that covers none of the crawlers is left out; the names of other crawlers are not shown. */
function limitToOwn(quota: QuotaView, crawlers: ReadonlySet<string> | undefined): QuotaView[] {
  if (!crawlers || quota.crawlers.length === 0) return [quota];
  const names = quota.crawlers.filter((name) => crawlers.has(name));
  return names.length === 0 ? [] : [{ ...quota, crawlers: names }];
}
