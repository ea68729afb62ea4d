import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import { mapPage, type Page, PageQuery, page, textCursor } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';
import { HostDto, hostDto } from './host.dto.js';

const UNKNOWN = { 404: 'No URL of that host is stored.' };

class HostsQuery extends PageQuery {
  @ApiProperty({ description: 'Name of the crawler.' })
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  crawler!: string;
}

@ApiTags('Hosts')
@Controller(`${API}/hosts`)
export class HostsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listHosts',
    summary: 'Web servers of a crawler',
    description: 'Alphabetical, with counts, politeness and health. Politeness is shared by all crawlers.',
    role: 'read',
    problems: { 404: 'There is no crawler of that name.' },
  })
  @PageResponse(HostDto)
  async list(@Query() query: HostsQuery): Promise<Page<HostDto>> {
    await this.engine.crawler(query.crawler);
    const hosts = await this.engine.hosts(query.crawler, textCursor(query.cursor), query.limit + 1);
    return mapPage(
      page(hosts, query.limit, (host) => host.hostKey),
      hostDto,
    );
  }

  @Get(':host')
  @Operation({
    id: 'getHost',
    summary: 'One web server',
    description: 'Counts over all crawlers, politeness, health and robots.txt as fetched.',
    role: 'read',
    problems: UNKNOWN,
  })
  @ApiOkResponse({ type: HostDto })
  async one(@Param('host') host: string): Promise<HostDto> {
    return hostDto(await this.engine.host(host));
  }

  @Post(':host/pause')
  @HttpCode(200)
  @Operation({
    id: 'pauseHost',
    summary: 'Pause a web server',
    description: 'No crawler fetches from it until it is resumed, also after a restart.',
    role: 'operate',
    problems: UNKNOWN,
  })
  @ApiOkResponse({ type: HostDto })
  pause(@Param('host') host: string, @Audited() note: ChangeNote): Promise<HostDto> {
    return this.move(host, true, note);
  }

  @Post(':host/resume')
  @HttpCode(200)
  @Operation({
    id: 'resumeHost',
    summary: 'Resume a web server',
    description: 'Its URLs may be fetched again.',
    role: 'operate',
    problems: UNKNOWN,
  })
  @ApiOkResponse({ type: HostDto })
  resume(@Param('host') host: string, @Audited() note: ChangeNote): Promise<HostDto> {
    return this.move(host, false, note);
  }

  private async move(host: string, paused: boolean, note: ChangeNote): Promise<HostDto> {
    const before = await this.engine.host(host);
    await this.engine.pauseHost(host, paused);
    note.changed({ paused: before.paused }, { paused });
    return hostDto(await this.engine.host(host));
  }
}
