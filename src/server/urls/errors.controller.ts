import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { IsText } from '../http/fields.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import {
  createInvalidCursorProblem,
  mapPage,
  type Page,
  PageQuery,
  PageResponse,
  parseTextCursor,
  toPage,
} from '../http/paging.js';
import type { Answer } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { errorClassSchema, errorHostSchema } from './error.schema.js';

class ErrorsQuery {
  @IsText({ required: false, description: 'Only URLs of this web server.', maxLength: 300 })
  host?: string;
}

type ErrorClassAnswer = Answer<typeof errorClassSchema>;
type ErrorHostAnswer = Answer<typeof errorHostSchema>;

@Controller(`${API}/crawlers/:crawler/errors`)
export class ErrorsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listErrors',
    summary: 'URLs in error, by error code',
    description: 'Exact counts of the URLs currently in error, largest first.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(errorClassSchema, 'All error codes that occur.')
  async listClasses(
    @Param('crawler') crawler: string,
    @Query() { host }: ErrorsQuery,
  ): Promise<Page<ErrorClassAnswer>> {
    const classes = await this.engine.urls.countErrorsByClass(crawler, host);
    return { items: classes.map(errorClassSchema.from), next: null };
  }

  @Get(':reason/hosts')
  @ApiParam({ name: 'reason', description: 'Error code.' })
  @Operation({
    id: 'listErrorHosts',
    summary: 'Web servers with an error',
    description: 'Exact counts of the URLs currently in error with this code, largest first.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(errorHostSchema)
  async listHosts(
    @Param('crawler') crawler: string,
    @Param('reason') reason: string,
    @Query() { cursor, limit }: PageQuery,
  ): Promise<Page<ErrorHostAnswer>> {
    const hosts = await this.engine.urls.listFailingHosts(crawler, reason, parseHostCursor(cursor), limit + 1);
    return mapPage(
      toPage(hosts, limit, ({ urls, hostKey }) => `${urls} ${hostKey}`),
      errorHostSchema.from,
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
