import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { URL_STATUSES, type UrlStatus } from '../../domain/crawl/url-state.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { SurveyView } from '../../engine/views/url-views.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { toDecimalSeconds, toIsoTime } from '../http/time.js';
import { API, ENGINE } from '../tokens.js';

class CoverageReasonDto {
  @ApiProperty({ enum: URL_STATUSES })
  status!: UrlStatus;

  @ApiProperty({ description: 'Reason code or error code; `GET /reasons` explains it.' })
  reason!: string;

  @ApiProperty({ type: 'integer', description: 'Stored URLs.' })
  urls!: number;

  @ApiProperty({ type: 'integer', description: 'Number of these URLs whose document is in the index.' })
  indexed!: number;
}

class AgeClassDto {
  @ApiProperty({
    required: false,
    description:
      'Maximum time since the last visit, in seconds; each class begins where the previous one ends. Absent: no limit.',
  })
  upToSeconds?: number;

  @ApiProperty({ type: 'integer', description: 'Documents in the index.' })
  documents!: number;
}

class CoverageDto {
  @ApiProperty({ format: 'date-time', description: 'When the URLs were counted; at most a minute ago.' })
  at!: string;

  @ApiProperty({ type: [CoverageReasonDto], description: 'All stored URLs, largest counts first.' })
  reasons!: CoverageReasonDto[];

  @ApiProperty({ type: [AgeClassDto], description: 'Documents in the index by the time since their last visit.' })
  ages!: AgeClassDto[];

  @ApiProperty({
    required: false,
    description:
      'Maximum age for smart refresh of the crawler, one of the limits in `ages`. Absent without smart refresh.',
  })
  maximumAgeSeconds?: number;
}

const toCoverageDto = ({ at, reasons, ages, maximumAge }: SurveyView): CoverageDto => ({
  at: toIsoTime(at),
  reasons: [...reasons],
  ages: ages.map(({ upTo, documents }) => ({ upToSeconds: toDecimalSeconds(upTo), documents })),
  maximumAgeSeconds: toDecimalSeconds(maximumAge),
});

@ApiTags('Crawlers')
@Controller(`${API}/crawlers/:crawler/coverage`)
export class CoverageController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @CrawlerName()
  @Operation({
    id: 'getCoverage',
    searches: true,
    summary: 'How much is crawled and indexed, and how old it is',
    description:
      'Stored URLs by status and reason, and documents in the index by the time since their last visit. The call reads all stored URLs, which takes about a second for a million.',
    role: 'read',
    problems: { 404: 'There is no crawler with that name.' },
  })
  @ApiOkResponse({ type: CoverageDto })
  async get(@Param('crawler') crawler: string): Promise<CoverageDto> {
    return toCoverageDto(await this.engine.surveys.get(crawler));
  }
}
