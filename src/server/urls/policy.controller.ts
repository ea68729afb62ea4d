import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { EngineApi } from '../../engine/engine-api.js';
import type { ConfigurationFormat } from '../configuration/configuration-format.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { OrderDto, toOrderDto } from '../orders/order.dto.js';
import { LOCAL_CALLER } from '../security/api-keys.js';
import { SameSiteGuard } from '../security/fetch-metadata.js';
import { API, CONFIGURATION_FORMAT, ENGINE } from '../tokens.js';
import { ContentTrialDto, ContentTrialRequestDto, toContentTrialDto } from './content-trial.dto.js';
import {
  ExplanationDto,
  HeadlineDto,
  QueueDto,
  RefusedLinkDto,
  RobotsOpinionDto,
  toExplanationDto,
  toHeadlineDto,
  toQueueDto,
  toRobotsOpinionDto,
} from './explanation.dto.js';
import { ExplainQuery, PageViewQuery } from './url.query.js';
import {
  PageViewDto,
  RefusedDto,
  toPageViewDto,
  toRefusedDto,
  toUrlBehindDto,
  toVisitDto,
  UrlBehindDto,
  VisitDto,
} from './url-history.dto.js';
import { toUrlStateDto, UrlStateDto } from './url-state.dto.js';

const NOT_FOUND_PROBLEM = { 404: 'There is no crawler with that name.' };

export class JudgedDto extends ExplanationDto {
  @ApiProperty({ description: 'Canonical URL that was judged.' })
  url!: string;

  @ApiProperty({ type: () => HeadlineDto, description: 'The result in one sentence; the other fields explain it.' })
  headline!: HeadlineDto;

  @ApiProperty({
    enum: ['root', 'link', 'redirect', 'sitemap', 'stored'],
    description: 'How the URL is assumed to have been discovered.',
  })
  discoveredVia!: string;

  @ApiProperty({ required: false })
  from?: string;

  @ApiProperty({ type: 'integer', description: 'Links between the root and this URL.' })
  hops!: number;

  @ApiProperty({ required: false, description: 'IP address of the host, if it was looked up.' })
  address?: string;

  @ApiProperty({
    type: () => RobotsOpinionDto,
    description: 'Not part of the verdict: robots.txt is checked before each fetch.',
  })
  robots!: RobotsOpinionDto;

  @ApiProperty({ required: false, type: () => QueueDto, description: 'Absent if the configuration rejects the URL.' })
  queue?: QueueDto;

  @ApiProperty({ required: false, type: () => UrlStateDto, description: 'Absent if the URL is not stored.' })
  state?: UrlStateDto;

  @ApiProperty({ type: () => [VisitDto], description: 'Fetches on record, newest first.' })
  visits!: VisitDto[];

  @ApiProperty({ type: () => [OrderDto], description: 'Push orders on record, newest first.' })
  orders!: OrderDto[];

  @ApiProperty({
    type: () => [UrlBehindDto],
    description: 'Sinks that are behind and are owed this URL.',
  })
  behind!: UrlBehindDto[];

  @ApiProperty({
    type: () => [RefusedLinkDto],
    description: 'Refused links to the URL, among the samples that are kept.',
  })
  refusedLinks!: RefusedLinkDto[];
}

@ApiTags('Policy')
@Controller(`${API}/crawlers/:crawler`)
export class PolicyController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FORMAT) private readonly format: ConfigurationFormat,
  ) {}

  @Get('explain')
  @CrawlerName()
  @Operation({
    id: 'explainUrl',
    summary: 'Explain why a URL is crawled or not',
    description:
      'A headline that says what happened to the URL and what to do next; then the verdict of the crawl policy with its whole trace, what robots.txt ' +
      'said when it was last fetched, the source in which the URL is queued, and every visit, order and refused link on record. Works for any URL, stored or not. ' +
      'Nothing is fetched or queued.',
    role: 'read',
    problems: { ...NOT_FOUND_PROBLEM, 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({ type: JudgedDto })
  async explain(@Param('crawler') crawler: string, @Query() { url, from }: ExplainQuery): Promise<JudgedDto> {
    const result = await this.engine.explanations.explain(crawler, url, from);
    const { candidate, headline, explanation, robots, queue, state, visits, orders, owedOrders, refused } = result;
    return {
      url: candidate.url.href,
      headline: toHeadlineDto(headline),
      discoveredVia: candidate.discoveredVia,
      from: candidate.from?.href,
      hops: candidate.hops,
      address: candidate.address ?? undefined,
      ...toExplanationDto(explanation),
      robots: toRobotsOpinionDto(robots),
      queue: queue && toQueueDto(queue),
      state: state && toUrlStateDto(state),
      visits: visits.map(toVisitDto),
      orders: orders.map(toOrderDto),
      behind: owedOrders.map(toUrlBehindDto),
      refusedLinks: refused.map(({ from, reason }) => ({ from, reason })),
    };
  }

  @Get('page')
  @UseGuards(SameSiteGuard)
  @CrawlerName()
  @Operation({
    id: 'viewPage',
    summary: 'What is extracted from a page, and its links with their verdicts',
    description:
      'Fetches the page now, reads it according to `cw:Content`, and judges each of its links; nothing is queued or pushed. With `render`, its scripts run, and the page as it was sent is shown beside the result. Politeness applies.',
    role: 'operate',
    problems: { ...NOT_FOUND_PROBLEM, 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({ type: PageViewDto })
  async viewPage(@Param('crawler') crawler: string, @Query() { url, render }: PageViewQuery): Promise<PageViewDto> {
    return toPageViewDto(await this.engine.explanations.viewPage(crawler, url, render));
  }

  @Post('page/trial')
  @HttpCode(200)
  @CrawlerName()
  @Operation({
    id: 'tryContent',
    searches: true,
    summary: 'Preview what a `cw:Content` element extracts from a page',
    description:
      'Reads a page with the given element before it is saved; nothing is stored, queued or pushed. The page is fetched on the first call, ' +
      'politely, and kept for ten minutes for the key that made the call, so that further calls do not request it from the site. Errors in the element are ' +
      'returned with their places; `reading` is then absent. Plug-ins are not called.',
    role: 'operate',
    writes: false,
    problems: {
      ...NOT_FOUND_PROBLEM,
      422: 'The string is not a URL, or no request can be sent to the host at the moment.',
    },
  })
  @ApiOkResponse({ type: ContentTrialDto })
  async tryContent(
    @Param('crawler') crawler: string,
    @Body() { content, ...page }: ContentTrialRequestDto,
    @Req() request: FastifyRequest,
  ): Promise<ContentTrialDto> {
    const { definition, problems } = this.format.readContent(content);
    const who = (request.caller ?? LOCAL_CALLER).name;
    return toContentTrialDto(await this.engine.trials.run(crawler, { ...page, who, content: definition }), problems);
  }

  @Get('refused')
  @CrawlerName()
  @Operation({
    id: 'listRefused',
    summary: 'Refused links',
    description:
      'Links that were never stored, counted by reason and host since the start of the process, with samples.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @PageResponse(RefusedDto)
  async listRefused(@Param('crawler') crawler: string): Promise<Page<RefusedDto>> {
    return { items: (await this.engine.urls.listRefusedLinks(crawler)).map(toRefusedDto), next: null };
  }
}
