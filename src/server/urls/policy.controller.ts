import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';
import { PageViewDto, pageViewDto, RefusedDto, refusedDto } from './biography.dto.js';
import { ExplanationDto, explanationDto, RobotsOpinionDto, robotsOpinionDto } from './explanation.dto.js';
import { ExplainQuery, UrlQuery } from './url.query.js';
import { UrlStateDto, urlStateDto } from './url-state.dto.js';

const UNKNOWN = { 404: 'There is no crawler of that name.' };

class JudgedDto extends ExplanationDto {
  @ApiProperty({ description: 'Canonical URL that was judged.' })
  url!: string;

  @ApiProperty({ enum: ['root', 'link', 'redirect', 'sitemap', 'stored'], description: 'What it was judged as.' })
  arrival!: string;

  @ApiProperty({ required: false })
  from?: string;

  @ApiProperty({ type: 'integer', description: 'Links between the root and this URL.' })
  hops!: number;

  @ApiProperty({ required: false, description: 'IP address of the host, when it was looked up.' })
  address?: string;

  @ApiProperty({
    type: () => RobotsOpinionDto,
    description: 'No part of the verdict: robots.txt is asked before each fetch.',
  })
  robots!: RobotsOpinionDto;

  @ApiProperty({ required: false, type: () => UrlStateDto, description: 'Absent: not stored.' })
  state?: UrlStateDto;
}

@ApiTags('Policy')
@Controller(`${API}/crawlers/:crawler`)
export class PolicyController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('explain')
  @CrawlerName()
  @Operation({
    id: 'explainUrl',
    summary: 'Why is this URL crawled, or not?',
    description:
      'The verdict of the crawl policy and its whole trace, for any URL, stored or not, and what robots.txt said when it was fetched last. ' +
      'Nothing is fetched or queued.',
    role: 'read',
    problems: { ...UNKNOWN, 422: 'The text is no URL.' },
  })
  @ApiOkResponse({ type: JudgedDto })
  async explain(@Param('crawler') crawler: string, @Query() { url, from }: ExplainQuery): Promise<JudgedDto> {
    const { candidate, explanation, robots, state } = await this.engine.explain(crawler, url, from);
    return {
      url: candidate.url.href,
      arrival: candidate.arrival,
      from: candidate.from?.href,
      hops: candidate.hops,
      address: candidate.address ?? undefined,
      ...explanationDto(explanation),
      robots: robotsOpinionDto(robots),
      state: state && urlStateDto(state),
    };
  }

  @Get('page')
  @CrawlerName()
  @Operation({
    id: 'viewPage',
    summary: "A page's links with their verdicts",
    description: 'Fetches the page now and judges each of its links, without queueing any. Politeness applies.',
    role: 'operate',
    problems: { ...UNKNOWN, 422: 'The text is no URL.' },
  })
  @ApiOkResponse({ type: PageViewDto })
  async page(@Param('crawler') crawler: string, @Query() { url }: UrlQuery): Promise<PageViewDto> {
    return pageViewDto(await this.engine.page(crawler, url));
  }

  @Get('refused')
  @CrawlerName()
  @Operation({
    id: 'listRefused',
    summary: 'Refused links',
    description:
      'Links that were never stored, counted by reason and host since the start of the process, with samples.',
    role: 'read',
    problems: UNKNOWN,
  })
  @PageResponse(RefusedDto)
  async refused(@Param('crawler') crawler: string): Promise<Page<RefusedDto>> {
    return { items: (await this.engine.refused(crawler)).map(refusedDto), next: null };
  }
}
