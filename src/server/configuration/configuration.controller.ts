import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  ParseIntPipe,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiProduces,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { NDJSON_TYPE, Operation, XML_TYPE } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import { mapPage, numberCursor, type Page, PageQuery, page } from '../http/paging.js';
import { textBody } from '../http/text-body.js';
import { API, CONFIGURATION_HISTORY } from '../tokens.js';
import { CHANGE_PROBLEMS, IfMatch, tellVersion, writeRequest } from './conditional-write.js';
import {
  CheckDto,
  ConfigurationStateDto,
  ConfirmQuery,
  PreviewDto,
  previewDto,
  VersionDto,
  versionDto,
} from './configuration.dto.js';
import { ConfigurationService } from './configuration.service.js';
import type { ConfigurationHistory } from './configuration-history.js';
import { configurationProblemDto } from './problems.dto.js';

const XML_BODY = { schema: { type: 'string', description: 'CrawlConfig.xml' } };
const XML_ANSWER = {
  description: 'CrawlConfig.xml, secrets replaced by a placeholder.',
  headers: { ETag: { schema: { type: 'string' }, description: 'For If-Match.' } },
  content: { [XML_TYPE]: { schema: { type: 'string' } } },
};

@ApiTags('Configuration')
@ApiExtraModels(PreviewDto)
@Controller(`${API}/config`)
export class ConfigurationController {
  constructor(
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
    @Inject(CONFIGURATION_HISTORY) private readonly history: ConfigurationHistory,
  ) {}

  @Get()
  @Operation({
    id: 'getConfiguration',
    summary: 'The configuration in force',
    description: 'CrawlConfig.xml as it is in force. Secrets are replaced by a placeholder, which a PUT turns back.',
    role: 'read',
  })
  @ApiProduces(XML_TYPE)
  @ApiOkResponse(XML_ANSWER)
  read(@Res({ passthrough: true }) reply: FastifyReply): string {
    tellVersion(reply, this.configuration);
    reply.type(`${XML_TYPE}; charset=utf-8`);
    return this.configuration.redacted();
  }

  @Put()
  @IfMatch()
  @Operation({
    id: 'putConfiguration',
    summary: 'Replace the configuration',
    description:
      'Checked as a whole; with any error nothing changes. Once in force, stored URLs are judged again in the background. ' +
      'When more than 10 % of the documents of a crawler would be deleted, `confirm=true` is wanted.',
    role: 'admin',
    consumes: [XML_TYPE],
    problems: CHANGE_PROBLEMS,
  })
  @ApiBody(XML_BODY)
  @ApiOkResponse({
    type: ConfigurationStateDto,
    description: 'The configuration is in force.',
    headers: XML_ANSWER.headers,
  })
  async replace(
    @Body() xml: unknown,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<ConfigurationStateDto> {
    const before = this.configuration.current.header.version;
    const { header } = await this.configuration.replace(textBody(xml), writeRequest(request, query));
    note.changed({ version: before }, { version: header.version });
    tellVersion(reply, this.configuration);
    return this.state();
  }

  @Get('state')
  @Operation({
    id: 'getConfigurationState',
    summary: 'Version, warnings, and whether the file is in force',
    description:
      'Warnings of the linter, and the errors of the file on disk when it was changed to something unusable.',
    role: 'read',
  })
  @ApiOkResponse({ type: ConfigurationStateDto })
  state(): ConfigurationStateDto {
    const { header, problems } = this.configuration.current;
    return {
      ...versionDto(header),
      file: this.configuration.file.path,
      etag: this.configuration.etag,
      warnings: problems.map(configurationProblemDto),
      rejected: this.configuration.rejectedProblems.map(configurationProblemDto),
    };
  }

  @Post('check')
  @HttpCode(200)
  @Operation({
    id: 'checkConfiguration',
    summary: 'Check a configuration',
    description: 'Every error and every doubtful rule, with file, line and column. Nothing is changed.',
    role: 'admin',
    writes: false,
    consumes: [XML_TYPE],
  })
  @ApiBody(XML_BODY)
  @ApiOkResponse({ type: CheckDto })
  check(@Body() xml: unknown): CheckDto {
    const problems = this.configuration.check(textBody(xml));
    return {
      valid: !problems.some(({ severity }) => severity === 'error'),
      problems: problems.map(configurationProblemDto),
    };
  }

  @Post('preview')
  @HttpCode(200)
  @Operation({
    id: 'previewConfiguration',
    summary: 'What would a configuration change?',
    description:
      'Judges the stored URLs with the given configuration and changes nothing. ' +
      `With \`Accept: ${NDJSON_TYPE}\` growing reports come one a line, the last one with \`done\`; otherwise the last one alone.`,
    role: 'admin',
    writes: false,
    consumes: [XML_TYPE],
    problems: { 422: 'The configuration has errors; `errors` lists all.' },
  })
  @ApiBody(XML_BODY)
  @ApiOkResponse({
    description: 'The report.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(PreviewDto) } },
      [NDJSON_TYPE]: { schema: { type: 'string' } },
    },
  })
  async preview(
    @Body() xml: unknown,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PreviewDto | AsyncIterable<string> | undefined> {
    const reports = this.configuration.preview(textBody(xml));
    if (accept?.includes(NDJSON_TYPE)) {
      reply.type(NDJSON_TYPE);
      return lines(reports);
    }
    let last: PreviewDto | undefined;
    for await (const report of reports) last = previewDto(report);
    return last;
  }

  @Get('versions')
  @Operation({
    id: 'listConfigurationVersions',
    summary: 'History',
    description: 'Every configuration that was in force, newest first.',
    role: 'read',
  })
  @PageResponse(VersionDto)
  async versions(@Query() query: PageQuery): Promise<Page<VersionDto>> {
    const versions = await this.history.versions(numberCursor(query.cursor), query.limit + 1);
    return mapPage(
      page(versions, query.limit, ({ version }) => version),
      versionDto,
    );
  }

  @Get('versions/:version')
  @Operation({
    id: 'getConfigurationVersion',
    summary: 'An earlier configuration',
    description: 'The text of one version, secrets replaced by a placeholder.',
    role: 'read',
    problems: { 404: 'There is no such version.' },
  })
  @ApiProduces(XML_TYPE)
  @ApiOkResponse({ description: XML_ANSWER.description, content: XML_ANSWER.content })
  async version(
    @Param('version', ParseIntPipe) version: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const text = await this.configuration.version(version);
    reply.type(`${XML_TYPE}; charset=utf-8`);
    return text;
  }

  @Post('versions/:version/restore')
  @HttpCode(200)
  @ApiHeader({ name: 'If-Match', required: false, description: 'Optional here: ETag of the configuration in force.' })
  @Operation({
    id: 'restoreConfiguration',
    summary: 'Put an earlier configuration in force',
    description: 'As a PUT of its text; it becomes a new version.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, 404: 'There is no such version.' },
  })
  @ApiOkResponse({
    type: ConfigurationStateDto,
    description: 'The configuration is in force.',
    headers: XML_ANSWER.headers,
  })
  async restore(
    @Param('version', ParseIntPipe) version: number,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<ConfigurationStateDto> {
    const before = this.configuration.current.header.version;
    const wanted = writeRequest(request, query);
    const { header } = await this.configuration.restore(version, { ...wanted, ifMatch: wanted.ifMatch ?? '*' });
    note.changed({ version: before }, { version: header.version, restored: version });
    tellVersion(reply, this.configuration);
    return this.state();
  }
}

async function* lines(reports: AsyncIterable<Parameters<typeof previewDto>[0]>): AsyncIterable<string> {
  for await (const report of reports) yield `${JSON.stringify(previewDto(report))}\n`;
}
