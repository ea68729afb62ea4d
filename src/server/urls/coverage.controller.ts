import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { URL_STATUSES } from '../../domain/crawl/url-state.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { SurveyView } from '../../engine/views/url-views.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import { type Answer, integer, listOf, oneOf, schema, seconds, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const coverageReasonSchema = schema<SurveyView['reasons'][number]>()('CoverageReason', {
  status: oneOf(URL_STATUSES),
  reason: text('http-404', 'Reason code or error code; `GET /reasons` explains it.'),
  urls: integer(12, 'Stored URLs.'),
  indexed: integer(42, 'Number of these URLs whose document is in the index.'),
});

const ageClassSchema = schema<SurveyView['ages'][number]>()('AgeClass', {
  upToSeconds: seconds(
    86_400,
    'Maximum time since the last visit, in seconds; each class begins where the previous one ends. Absent: no limit.',
  )
    .optional()
    .from('upTo'),
  documents: integer(12, 'Documents in the index.'),
});

const coverageSchema = schema<SurveyView>()('Coverage', {
  at: time('When the URLs were counted; at most a minute ago.'),
  reasons: listOf(coverageReasonSchema, 'All stored URLs, largest counts first.'),
  ages: listOf(ageClassSchema, 'Documents in the index by the time since their last visit.'),
  maximumAgeSeconds: seconds(
    604_800,
    'Maximum age for smart refresh of the crawler, one of the limits in `ages`. Absent without smart refresh.',
  )
    .optional()
    .from('maximumAge'),
});

@Controller(`${API}/crawlers/:crawler/coverage`)
export class CoverageController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'getCoverage',
    searches: true,
    summary: 'How much is crawled and indexed, and how old it is',
    description:
      'Stored URLs by status and reason, and documents in the index by the time since their last visit. The call reads all stored URLs, which takes about a second for a million.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: coverageSchema.ref })
  async get(@Param('crawler') crawler: string): Promise<Answer<typeof coverageSchema>> {
    return coverageSchema.from(await this.engine.surveys.get(crawler));
  }
}
