import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { createMatchedView } from '../../domain/policy/matched-view.js';
import { createResolvedView, resolveUrl } from '../../domain/policy/resolved.js';
import { type EngineApi } from '../../engine/engine-api.js';
import { NotFound } from '../../engine/support/api-errors.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { API, ENGINE } from '../tokens.js';
import { ResolvedQuery, ResolvedUrlDto, ResolvedViewDto, toResolvedUrlDto, toResolvedViewDto } from './resolved.dto.js';

@ApiTags('Configuration')
@ApiExtraModels(ResolvedViewDto, ResolvedUrlDto)
@Controller(`${API}/config/crawlers/:crawler/resolved`)
export class ResolvedController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @CrawlerName()
  @Operation({
    id: 'getResolved',
    summary: 'The resolved view',
    description:
      'Without `url`: the whole crawl policy, expanded, in the order of evaluation. ' +
      'With `url`: what each rule did with the URL, and the final options, with the setting that determined each of them.',
    role: 'read',
    problems: { 404: 'There is no crawler with that name.', 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({
    description: 'For the whole configuration, or for one URL.',
    schema: { oneOf: [{ $ref: getSchemaPath(ResolvedViewDto) }, { $ref: getSchemaPath(ResolvedUrlDto) }] },
  })
  async get(
    @Param('crawler') crawler: string,
    @Query() { url, from }: ResolvedQuery,
  ): Promise<ResolvedViewDto | ResolvedUrlDto> {
    const { crawlers, globalCrawlSpace } = this.engine.definition;
    const definition = crawlers.find(({ name }) => name === crawler);
    if (!definition) throw new NotFound(`there is no crawler ${JSON.stringify(crawler)}`);
    if (url === undefined) return toResolvedViewDto(createResolvedView(definition, globalCrawlSpace));
    const { candidate, queue } = await this.engine.explanations.explain(crawler, url, from);
    return toResolvedUrlDto({
      url: candidate.url.href,
      queue,
      entries: createMatchedView(definition, globalCrawlSpace, candidate),
      ...resolveUrl(definition, globalCrawlSpace, candidate),
    });
  }
}
