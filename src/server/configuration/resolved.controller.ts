import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { resolvedUrl, resolvedView } from '../../domain/policy/resolved.js';
import { type EngineApi, NotFound } from '../../engine/engine-api.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { API, ENGINE } from '../tokens.js';
import { ResolvedDto, type ResolvedUrlDto, resolvedEntryDto, resolvedUrlDto } from './resolved.dto.js';

class ResolvedQuery {
  @ApiProperty({ required: false, maxLength: 65_536, description: 'Also what each rule did for this URL.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(65_536)
  url?: string;
}

@ApiTags('Configuration')
@Controller(`${API}/config/crawlers/:crawler/resolved`)
export class ResolvedController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @CrawlerName()
  @Operation({
    id: 'getResolvedView',
    summary: 'The resolved view',
    description: 'The whole policy of a crawler with everything expanded, in the order of evaluation; and for one URL.',
    role: 'read',
    problems: { 404: 'There is no crawler of that name.', 422: 'The text is no URL.' },
  })
  @ApiOkResponse({ type: ResolvedDto })
  async resolved(@Param('crawler') crawler: string, @Query() { url }: ResolvedQuery): Promise<ResolvedDto> {
    const definition = this.named(crawler);
    return {
      entries: resolvedView(definition, this.engine.definition.globalCrawlSpace).map(resolvedEntryDto),
      url: url === undefined ? undefined : await this.ofUrl(definition, url),
    };
  }

  private async ofUrl(definition: CrawlerDefinition, url: string): Promise<ResolvedUrlDto> {
    const { candidate } = await this.engine.explain(definition.name, url);
    return resolvedUrlDto(
      candidate.url.href,
      resolvedUrl(definition, this.engine.definition.globalCrawlSpace, candidate),
    );
  }

  private named(crawler: string): CrawlerDefinition {
    const found = this.engine.definition.crawlers.find(({ name }) => name === crawler);
    if (!found) throw new NotFound(`there is no crawler ${crawler}`);
    return found;
  }
}
