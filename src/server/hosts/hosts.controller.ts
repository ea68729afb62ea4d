import { Body, Controller, Get, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Instant } from '../../domain/time/units.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { HostView } from '../../engine/views/host-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { IsOneOf, IsText } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import {
  mapPage,
  type Page,
  PageQuery,
  PageResponse,
  parseNumberCursor,
  parseTextCursor,
  toPage,
} from '../http/paging.js';
import { PAST_PROBLEM, PauseQuery, parseUntil } from '../http/pause.query.js';
import type { Answer } from '../http/schema.js';
import { toOptionalIsoTime } from '../http/time.js';
import { API, ENGINE } from '../tokens.js';
import { folderSchema, hostRenderingSchema, hostSchema } from './host.schema.js';

const NOT_FOUND_PROBLEM = { 404: 'No URL of that host is stored.' };

class HostsQuery extends PageQuery {
  @IsText({ minLength: 1, description: 'Name of the crawler.', maxLength: 256 })
  crawler!: string;
}

class FolderQuery {
  @IsText({ minLength: 1, description: 'Name of the crawler.', maxLength: 256 })
  crawler!: string;

  @IsText({
    required: false,
    description:
      'Beginning of the URLs in the folder, up to a slash. Absent: all URLs; their folders are the origins of the host.',
    maxLength: MAX_URL,
  })
  folder?: string;

  @IsText({
    required: false,
    description: '`next` of the previous response; absent for the first step.',
    maxLength: 4096,
  })
  cursor?: string;
}

class RenderOverrideDto {
  @IsText({
    minLength: 1,
    maxLength: MAX_URL,
    description: 'A pattern as listed, or a URL of the host that matches it.',
    example: '/product/N',
  })
  pattern!: string;

  @IsOneOf(['always', 'never', 'auto'], {
    description: '`auto`: as learned, which ends an override. Otherwise, the mode for the pattern.',
  })
  render!: 'always' | 'never' | 'auto';
}

type HostAnswer = Answer<typeof hostSchema>;
type HostRenderingAnswer = Answer<typeof hostRenderingSchema>;

@Controller(`${API}/hosts`)
export class HostsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listHosts',
    summary: 'Web servers of a crawler',
    description: 'In alphabetical order, with counts, politeness and health. Politeness is shared by all crawlers.',
    role: 'read',
    crawlers: 'query',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(hostSchema)
  async list(@Query() query: HostsQuery): Promise<Page<HostAnswer>> {
    const hosts = await this.engine.hosts.list(query.crawler, parseTextCursor(query.cursor), query.limit + 1);
    return mapPage(
      toPage(hosts, query.limit, (host) => host.hostKey),
      (host) => this.toAnswer(host),
    );
  }

  @Get(':host')
  @Operation({
    id: 'getHost',
    summary: 'One web server',
    description: 'Counts across all crawlers, politeness, health, and robots.txt as fetched.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ schema: hostSchema.ref })
  async get(@Param('host') host: string): Promise<HostAnswer> {
    return this.toAnswer(await this.engine.hosts.get(host));
  }

  @Get(':host/folders')
  @Operation({
    id: 'listFolders',
    searches: true,
    summary: 'Contents of a folder of a web server',
    description:
      'Subfolders with the number of URLs in each, and the URLs in the folder itself. Each response is quick: a large host is counted in steps, `next` requests the following step, and the counts of all steps add up to the exact totals.',
    role: 'read',
    crawlers: 'query',
    problems: { ...UNKNOWN_CRAWLER, 422: 'The string is not a folder.' },
  })
  @ApiOkResponse({ schema: folderSchema.ref })
  async listFolders(@Param('host') host: string, @Query() query: FolderQuery): Promise<Answer<typeof folderSchema>> {
    const after = parseNumberCursor(query.cursor) ?? 0;
    return folderSchema.from(await this.engine.hosts.listFolders(query.crawler, host, query.folder ?? '', after));
  }

  @Get(':host/rendering')
  @Operation({
    id: 'getHostRendering',
    summary: 'Which pages of a web server need the browser',
    description:
      'What `render="auto"` has learned for each URL pattern since the start of the process, and what an operator has overruled.',
    role: 'read',
  })
  @ApiOkResponse({ schema: hostRenderingSchema.ref })
  async getRendering(@Param('host') host: string): Promise<HostRenderingAnswer> {
    return hostRenderingSchema.from({ patterns: await this.engine.hosts.viewRendering(host) });
  }

  @Put(':host/rendering')
  @Operation({
    id: 'overruleRendering',
    summary: 'Overrule what was learned about a URL pattern',
    description:
      'From their next visit on, and even after a restart, pages that match the pattern are always or never rendered if the crawler has `render="auto"`; rules and conditions that set a mode take precedence.',
    role: 'operate',
    problems: { 422: 'The string is not a pattern, or more than 100 patterns of the host would be overruled.' },
  })
  @ApiOkResponse({ schema: hostRenderingSchema.ref })
  async overrule(
    @Param('host') host: string,
    @Body() { pattern, render }: RenderOverrideDto,
    @Audited() note: ChangeNote,
  ): Promise<HostRenderingAnswer> {
    await this.engine.hosts.overruleRendering(host, pattern, render === 'auto' ? undefined : render);
    note.recordChange(undefined, { pattern, render });
    return this.getRendering(host);
  }

  @Post(':host/pause')
  @Operation({
    id: 'pauseHost',
    summary: 'Pause a web server',
    description: 'No crawler fetches from the host until it is resumed or the pause ends, even after a restart.',
    role: 'operate',
    problems: { ...NOT_FOUND_PROBLEM, ...PAST_PROBLEM },
  })
  @ApiOkResponse({ schema: hostSchema.ref })
  pause(@Param('host') host: string, @Query() query: PauseQuery, @Audited() note: ChangeNote): Promise<HostAnswer> {
    return this.setPaused(host, true, note, parseUntil(query));
  }

  @Post(':host/resume')
  @Operation({
    id: 'resumeHost',
    summary: 'Resume a web server',
    description: 'URLs of the host may be fetched again.',
    role: 'operate',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ schema: hostSchema.ref })
  resume(@Param('host') host: string, @Audited() note: ChangeNote): Promise<HostAnswer> {
    return this.setPaused(host, false, note);
  }

  private toAnswer(view: HostView): HostAnswer {
    return hostSchema.from({ ...view, pausedUntil: this.engine.pauseEnds.find('host', view.hostKey) });
  }

  private async setPaused(host: string, paused: boolean, note: ChangeNote, until?: Instant): Promise<HostAnswer> {
    const before = await this.engine.hosts.get(host);
    await this.engine.pauseEnds.set('host', host, until);
    await this.engine.hosts.setPaused(host, paused);
    note.recordChange({ paused: before.paused }, { paused, until: toOptionalIsoTime(until) });
    return this.get(host);
  }
}
