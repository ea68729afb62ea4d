import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import type { EngineApi } from '../../engine/engine-api.js';
import { IsOneOf } from '../http/fields.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, counts, integer, schema, seconds, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { HistoryRecorder } from './history-recorder.js';
import { type HistoryPoint, RANGES, type Range } from './rate-history.js';

class HistoryQuery {
  @IsOneOf(RANGES, {
    description:
      '`hour`: a point every 15 seconds; `day`: every 5 minutes; `week`: every hour; `quarter` (13 weeks): every 6 hours.',
  })
  range!: Range;
}

const pointSchema = schema<HistoryPoint>()('HistoryPoint', {
  at: time('End of the interval that the point covers.'),
  seconds: seconds(0.5, 'Length of the interval in seconds; divide a count by it to get a rate.').from('length'),
  pages: integer(12, 'Visits.'),
  errors: integer(3, 'Visits that failed.'),
  orders: integer(12, 'Orders that the sinks acknowledged.'),
  indexed: integer(42, 'Documents in the index at the end of the interval.'),
  errorsByCode: counts({ 'http-404': 3 }, 'Failed visits by error code.'),
  byStatus: counts({ indexed: 42, waiting: 12 }, 'Stored URLs by status at the end of the interval.'),
});

type PointAnswer = Answer<typeof pointSchema>;

@Controller(`${API}/crawlers/:crawler/history`)
export class HistoryController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(HistoryRecorder) private readonly recorder: HistoryRecorder,
  ) {}

  @Get()
  @Operation({
    id: 'getHistory',
    summary: 'The last hour, day, week or thirteen weeks of a crawler',
    description:
      'Visits, failures and orders, oldest point first; kept across restarts. There are no points for times when the server was down.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(pointSchema, 'All points.')
  async get(@Param('crawler') crawler: string, @Query() { range }: HistoryQuery): Promise<Page<PointAnswer>> {
    await this.engine.getCrawler(crawler);
    return { items: this.recorder.listPoints(crawler, range).map(pointSchema.from), next: null };
  }
}
