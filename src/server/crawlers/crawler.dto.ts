import { ApiProperty } from '@nestjs/swagger';
import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import { getSourceName, SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import type { QueuedUrl } from '../../engine/ports/frontier-store.js';
import type { CrawlerView } from '../../engine/views/crawler-views.js';
import { toIsoTime, toOptionalIsoTime } from '../http/time.js';

export const RUN_STATES = ['running', 'paused', 'stopped'] as const satisfies readonly CrawlerRunState[];

export class SourceDto {
  @ApiProperty({ enum: SOURCES })
  name!: string;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 5 })
  number!: number;

  @ApiProperty({ description: 'Share of the picks, relative to the other sources.' })
  weight!: number;

  @ApiProperty({ type: 'integer', description: 'Queued URLs, whether or not they are due.' })
  depth!: number;

  @ApiProperty({ type: 'integer', description: 'Picks since the start of the process.' })
  picks!: number;
}

export class OldestDto {
  @ApiProperty({ enum: SOURCES })
  source!: string;

  @ApiProperty()
  url!: string;

  @ApiProperty({ format: 'date-time', description: 'When the URL is due; in the past if it is waiting.' })
  dueAt!: string;
}

export const toOldestDto = ([source, { url, dueAt }]: readonly [SourceNumber, QueuedUrl]): OldestDto => ({
  source: getSourceName(source),
  url,
  dueAt: toIsoTime(dueAt),
});

export class CrawlerDto {
  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: RUN_STATES })
  state!: CrawlerRunState;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: `URLs by status: ${URL_STATUSES.join(', ')}.`,
  })
  counts!: Readonly<Record<string, number>>;

  @ApiProperty({ type: 'integer', description: 'Documents in the index.' })
  indexed!: number;

  @ApiProperty({ type: () => [SourceDto] })
  sources!: SourceDto[];

  @ApiProperty({ description: 'Rate over the last minute.' })
  pagesPerSecond!: number;

  @ApiProperty({ description: 'Rate over the last minute.' })
  errorsPerSecond!: number;

  @ApiProperty({ description: 'Rate over the last minute.' })
  ordersPerSecond!: number;

  @ApiProperty({ type: 'integer', description: 'Pages currently being fetched.' })
  active!: number;

  @ApiProperty({ type: 'integer', description: 'Orders decided and not yet acknowledged.' })
  pendingOrders!: number;

  @ApiProperty({ description: 'What limits the speed right now, in words.' })
  limitedBy!: string;

  @ApiProperty({ required: false, format: 'date-time' })
  nextRequestAt?: string;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'Due time of the URL that has been waiting longest.',
  })
  oldestDueAt?: string;

  @ApiProperty({ description: 'Whether nothing is due and nothing is in flight.' })
  idle!: boolean;
}

export const toCrawlerDto = (view: CrawlerView): CrawlerDto => ({
  name: view.name,
  state: view.state,
  counts: view.counts.byStatus,
  indexed: view.counts.indexed,
  sources: view.sources.map((source) => ({ ...source })),
  pagesPerSecond: view.pagesPerSecond,
  errorsPerSecond: view.errorsPerSecond,
  ordersPerSecond: view.ordersPerSecond,
  active: view.active,
  pendingOrders: view.pendingOrders,
  limitedBy: view.limitedBy,
  nextRequestAt: toOptionalIsoTime(view.nextRequestAt),
  oldestDueAt: toOptionalIsoTime(view.counts.oldestDueAt),
  idle: view.idle,
});
