import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConfigurationHistory } from '../../engine/ports/administration.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { WholeNumberPipe } from '../http/fields.js';
import { Operation, XML_TYPE } from '../http/operation.js';
import { mapPage, type Page, PageQuery, PageResponse, parseNumberCursor, toPage } from '../http/paging.js';
import type { Answer } from '../http/schema.js';
import { API, CONFIGURATION_HISTORY } from '../tokens.js';
import {
  CHANGE_PROBLEMS,
  ConfirmQuery,
  createWriteRequest,
  ETAG,
  ETAG_PATTERN,
  setVersionHeaders,
} from './conditional-write.js';
import { configurationStateSchema, ruleTextSchema, versionSchema } from './configuration.schema.js';
import { ConfigurationService } from './configuration.service.js';
import { XML_EXAMPLE } from './draft-body.pipe.js';

const TEXT_PROBLEMS = { 404: 'There is no such version.' };

@Controller(`${API}/config/versions`)
export class VersionsController {
  constructor(
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
    @Inject(CONFIGURATION_HISTORY) private readonly history: ConfigurationHistory,
  ) {}

  @Get()
  @Operation({
    id: 'listConfigurationVersions',
    summary: 'History',
    description: 'Every configuration that has been in force, newest first.',
    role: 'read',
  })
  @PageResponse(versionSchema)
  async list(@Query() query: PageQuery): Promise<Page<Answer<typeof versionSchema>>> {
    const versions = await this.history.listVersions(parseNumberCursor(query.cursor), query.limit + 1);
    return mapPage(
      toPage(versions, query.limit, ({ version }) => version),
      versionSchema.from,
    );
  }

  @Get(':version')
  @Operation({
    id: 'getConfigurationVersion',
    summary: 'An earlier configuration',
    description: 'The text of one version, which contains no secrets, only references.',
    role: 'read',
    problems: TEXT_PROBLEMS,
  })
  @ApiProduces(XML_TYPE)
  @ApiOkResponse({
    description: 'CrawlConfig.xml.',
    content: { [XML_TYPE]: { schema: { type: 'string' }, example: XML_EXAMPLE } },
  })
  async get(
    @Param('version', WholeNumberPipe) version: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { xml } = await this.configuration.getVersion(version);
    reply.type(`${XML_TYPE}; charset=utf-8`);
    return xml;
  }

  @Get(':version/files')
  @Operation({
    id: 'listRuleFilesOfVersion',
    summary: 'Rule files of an earlier configuration',
    description: 'The files as they were when that version was in force, with references in place of passwords.',
    role: 'read',
    problems: TEXT_PROBLEMS,
  })
  @PageResponse(ruleTextSchema, 'All files, by name.')
  async listFiles(@Param('version', WholeNumberPipe) version: number): Promise<Page<Answer<typeof ruleTextSchema>>> {
    const { files } = await this.configuration.getVersion(version);
    return { items: [...files].map(([name, text]) => ({ name, text })), next: null };
  }

  @Post(':version/restore')
  @ApiHeader({
    name: 'If-Match',
    required: false,
    schema: ETAG_PATTERN,
    description: 'ETag of the configuration in force; optional in this call.',
  })
  @Operation({
    id: 'restoreConfiguration',
    summary: 'Put an earlier configuration in force',
    description: 'Works like a PUT of its text and creates a new version.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, 404: 'There is no such version.' },
  })
  @ApiOkResponse({ schema: configurationStateSchema.ref, description: 'The configuration is in force.', headers: ETAG })
  async restore(
    @Param('version', WholeNumberPipe) version: number,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof configurationStateSchema>> {
    const before = this.configuration.current.header.version;
    const { header } = await this.configuration.restore(version, createWriteRequest(request, query));
    note.recordChange({ version: before }, { version: header.version, restored: version });
    setVersionHeaders(reply, this.configuration);
    return configurationStateSchema.from(this.configuration);
  }
}
