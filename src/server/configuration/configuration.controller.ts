import { Body, Controller, Get, Headers, HttpCode, Inject, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiProduces, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { NDJSON_TYPE, Operation, XML_TYPE } from '../http/operation.js';
import { textBody } from '../http/text-body.js';
import { API } from '../tokens.js';
import { CHANGE_PROBLEMS, ETAG, IfMatch, tellVersion, writeRequest } from './conditional-write.js';
import {
  CheckDto,
  ConfigurationStateDto,
  ConfirmQuery,
  configurationState,
  PreviewDto,
  previewDto,
} from './configuration.dto.js';
import { ConfigurationService } from './configuration.service.js';
import { configurationProblemDto } from './problems.dto.js';

const XML_BODY = { schema: { type: 'string', description: 'CrawlConfig.xml' } };
const XML_ANSWER = {
  description: 'CrawlConfig.xml, secrets replaced by a placeholder.',
  headers: ETAG,
  content: { [XML_TYPE]: { schema: { type: 'string' } } },
};

@ApiTags('Configuration')
@ApiExtraModels(PreviewDto)
@Controller(`${API}/config`)
export class ConfigurationController {
  constructor(@Inject(ConfigurationService) private readonly configuration: ConfigurationService) {}

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
    headers: ETAG,
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
    return configurationState(this.configuration);
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
}

async function* lines(reports: AsyncIterable<Parameters<typeof previewDto>[0]>): AsyncIterable<string> {
  for await (const report of reports) yield `${JSON.stringify(previewDto(report))}\n`;
}
