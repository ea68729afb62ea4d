import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { EngineApi } from '../../engine/engine-api.js';
import type { ErrorHostView } from '../../engine/views/url-views.js';
import { CrawlerName } from '../http/crawler-name.js';
import { IfGiven } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import { createInvalidCursorProblem, mapPage, type Page, PageQuery, parseTextCursor, toPage } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';

const NOT_FOUND_PROBLEM = { 404: 'There is no crawler with that name.' };

class ErrorsQuery {
  @ApiProperty({ required: false, description: 'Only URLs of this web server.' })
  @IfGiven()
  @IsString()
  @MaxLength(300)
  host?: string;
}

class FailingDto {
  @ApiProperty({ type: 'integer', description: 'URLs in error.' })
  urls!: number;

  @ApiProperty({ type: 'integer', description: 'Number of these URLs that were last tried within the last hour.' })
  lastHour!: number;

  @ApiProperty({ type: 'integer', description: 'Number of these URLs that were last tried within the last 24 hours.' })
  lastDay!: number;
}

class ErrorClassDto extends FailingDto {
  @ApiProperty({ description: 'Error code; `GET /reasons` explains it.' })
  reason!: string;

  @ApiProperty({ type: 'integer', description: 'Web servers with URLs in this error.' })
  hosts!: number;
}

class ErrorHostDto extends FailingDto {
  @ApiProperty()
  host!: string;
}

const toErrorHostDto = ({ hostKey, ...counts }: ErrorHostView): ErrorHostDto => ({ host: hostKey, ...counts });

@ApiTags('URLs')
@Controller(`${API}/crawlers/:crawler/errors`)
export class ErrorsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @CrawlerName()
  @Operation({
    id: 'listErrors',
    summary: 'URLs in error, by error code',
    description: 'Exact counts of the URLs currently in error, largest first.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @PageResponse(ErrorClassDto, 'All error codes that occur.')
  async listClasses(@Param('crawler') crawler: string, @Query() { host }: ErrorsQuery): Promise<Page<ErrorClassDto>> {
    return { items: await this.engine.urls.countErrorsByClass(crawler, host), next: null };
  }

  @Get(':reason/hosts')
  @CrawlerName()
  @ApiParam({ name: 'reason', description: 'Error code.' })
  @Operation({
    id: 'listErrorHosts',
    summary: 'Web servers with an error',
    description: 'Exact counts of the URLs currently in error with this code, largest first.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @PageResponse(ErrorHostDto)
  async listHosts(
    @Param('crawler') crawler: string,
    @Param('reason') reason: string,
    @Query() { cursor, limit }: PageQuery,
  ): Promise<Page<ErrorHostDto>> {
    const hosts = await this.engine.urls.listFailingHosts(crawler, reason, parseHostCursor(cursor), limit + 1);
    return mapPage(
      toPage(hosts, limit, ({ urls, hostKey }) => `${urls} ${hostKey}`),
      toErrorHostDto,
    );
  }
}

function parseHostCursor(cursor: string | undefined): { urls: number; hostKey: string } | undefined {
  const position = parseTextCursor(cursor);
  if (position === undefined) return undefined;
  const [, urls, hostKey] = /^(\d{1,12}) (.+)$/.exec(position) ?? [];
  if (urls === undefined || hostKey === undefined) throw createInvalidCursorProblem();
  return { urls: Number(urls), hostKey };
}
