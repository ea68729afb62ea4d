import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { EngineApi } from '../../engine/engine-api.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { toDecimalSeconds, toIsoTime } from '../http/time.js';
import { API, ENGINE } from '../tokens.js';
import { HistoryRecorder } from './history-recorder.js';
import { type HistoryPoint, RANGES, type Range } from './rate-history.js';

class HistoryQuery {
  @ApiProperty({
    enum: RANGES,
    description:
      '`hour`: a point every 15 seconds; `day`: every 5 minutes; `week`: every hour; `quarter` (13 weeks): every 6 hours.',
  })
  @IsIn(RANGES)
  range!: Range;
}

class HistoryPointDto {
  @ApiProperty({ format: 'date-time', description: 'End of the interval that the point covers.' })
  at!: string;

  @ApiProperty({ description: 'Length of the interval in seconds; divide a count by it to get a rate.' })
  seconds!: number;

  @ApiProperty({ type: 'integer', description: 'Visits.' })
  pages!: number;

  @ApiProperty({ type: 'integer', description: 'Visits that failed.' })
  errors!: number;

  @ApiProperty({ type: 'integer', description: 'Orders that the sinks acknowledged.' })
  orders!: number;

  @ApiProperty({ type: 'integer', description: 'Documents in the index at the end of the interval.' })
  indexed!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Failed visits by error code.',
  })
  errorsByCode!: Readonly<Record<string, number>>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Stored URLs by status at the end of the interval. Empty if an earlier version recorded the point.',
  })
  byStatus!: Readonly<Record<string, number>>;
}

const toPointDto = ({ at, length, ...counts }: HistoryPoint): HistoryPointDto => ({
  at: toIsoTime(at),
  seconds: toDecimalSeconds(length)!,
  ...counts,
});

@ApiTags('Crawlers')
@Controller(`${API}/crawlers/:crawler/history`)
export class HistoryController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(HistoryRecorder) private readonly recorder: HistoryRecorder,
  ) {}

  @Get()
  @CrawlerName()
  @Operation({
    id: 'getHistory',
    summary: 'The last hour, day, week or thirteen weeks of a crawler',
    description:
      'Visits, failures and orders, oldest point first; kept across restarts. There are no points for times when the server was down.',
    role: 'read',
    problems: { 404: 'There is no crawler with that name.' },
  })
  @PageResponse(HistoryPointDto, 'All points.')
  async get(@Param('crawler') crawler: string, @Query() { range }: HistoryQuery): Promise<Page<HistoryPointDto>> {
    await this.engine.getCrawler(crawler);
    return { items: this.recorder.listPoints(crawler, range).map(toPointDto), next: null };
  }
}
