import { basename } from 'node:path';
import { applyDecorators, Body, Controller, Get, Headers, Inject, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiProduces, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../domain/crawl/place.js';
import type { PreviewReport } from '../../engine/views/crawler-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { AcceptsConfiguration } from '../http/body-parsers.js';
import { ClientGone } from '../http/client-gone.js';
import { IsText } from '../http/fields.js';
import { JSON_TYPE, NDJSON_TYPE, Operation, XML_TYPE } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, boolean, listOf, schema } from '../http/schema.js';
import { type SinkTest, type SinkTester, sinkTestSchema } from '../sinks/sink-test.js';
import { API, TEST_SINK } from '../tokens.js';
import { pageViewSchema } from '../urls/page-view.schema.js';
import { UrlQuery } from '../urls/url.query.js';
import {
  CHANGE_PROBLEMS,
  ConfirmQuery,
  createWriteRequest,
  ETAG,
  IfMatch,
  setVersionHeaders,
} from './conditional-write.js';
import { configurationStateSchema, previewSchema, ruleFileSchema } from './configuration.schema.js';
import { ConfigurationService } from './configuration.service.js';
import type { ConfigurationDraft } from './configuration-draft.js';
import { configurationProblemSchema } from './configuration-problem.schema.js';
import { ConfigurationDraftDto, DraftBodyPipe, XML_EXAMPLE } from './draft-body.pipe.js';
import { readOwnText, widenDraft } from './part-of-crawlers.js';

/** CrawlConfig.xml alone, or together with rule files that it names. */
const DRAFT_TYPES = [XML_TYPE, JSON_TYPE];
const DraftBody = (): MethodDecorator =>
  applyDecorators(
    AcceptsConfiguration(),
    ApiExtraModels(ConfigurationDraftDto),
    ApiBody({
      schema: {
        oneOf: [
          { type: 'string', minLength: 1, description: 'CrawlConfig.xml', example: XML_EXAMPLE },
          { $ref: getSchemaPath(ConfigurationDraftDto) },
        ],
      },
    }),
  );
const XML_RESPONSE = {
  description: 'CrawlConfig.xml.',
  headers: ETAG,
  content: { [XML_TYPE]: { schema: { type: 'string' }, example: XML_EXAMPLE } },
};

const checkSchema = schema<{ readonly problems: readonly Problem[] }>()('Check', {
  valid: boolean('Whether there are no errors; there may be warnings.').by(
    ({ problems }: { readonly problems: readonly Problem[] }) => !problems.some(({ severity }) => severity === 'error'),
  ),
  problems: listOf(configurationProblemSchema),
});

type StateAnswer = Answer<typeof configurationStateSchema>;
type PreviewAnswer = Answer<typeof previewSchema>;

class SinkQuery {
  @IsText({ description: 'Name of the sink in the submitted configuration.' })
  sink!: string;
}

class LookQuery extends UrlQuery {
  @IsText({ description: 'Name of the crawler in the submitted configuration.' })
  crawler!: string;
}

@Controller(`${API}/config`)
export class ConfigurationController {
  constructor(
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
    @Inject(TEST_SINK) private readonly testSink: SinkTester,
  ) {}

  @Get()
  @Operation({
    id: 'getConfiguration',
    summary: 'The configuration in force',
    description: `The CrawlConfig.xml in force. It contains no secrets, only references such as \`\${secret:NAME}\`. If the file has secrets as plain text, it is shown as \`crawlway secrets import\` would write it.`,
    role: 'read',
    crawlers: 'handler',
  })
  @ApiProduces(XML_TYPE)
  @ApiOkResponse(XML_RESPONSE)
  getXml(@Req() { crawlers }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    setVersionHeaders(reply, this.configuration);
    reply.type(`${XML_TYPE}; charset=utf-8`);
    return readOwnText(this.configuration, crawlers);
  }

  @Put()
  @IfMatch()
  @Operation({
    id: 'putConfiguration',
    summary: 'Replace the configuration',
    description:
      'The configuration is checked as a whole; if there is any error, nothing changes. Once it is in force, stored URLs are judged again in the background. ' +
      'A secret in plain text is an error: store it with `PUT /secrets/{name}`, and refer to it. ' +
      'If more than 10 % of the documents of a crawler would be deleted, `confirm=true` is required. ' +
      'An edit of the file on disk that is not in force is overwritten only with `If-Match: *`; it is then kept in a ' +
      'file with `.rejected` at the end of its name.',
    role: 'admin',
    crawlers: 'handler',
    consumes: DRAFT_TYPES,
    problems: CHANGE_PROBLEMS,
  })
  @DraftBody()
  @ApiOkResponse({ schema: configurationStateSchema.ref, description: 'The configuration is in force.', headers: ETAG })
  async replace(
    @Body(DraftBodyPipe) draft: ConfigurationDraft,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<StateAnswer> {
    const before = this.configuration.current.header.version;
    const { header } = await this.configuration.replace(draft, createWriteRequest(request, query));
    const files = [...draft.files.keys()];
    note.recordChange({ version: before }, { version: header.version, ...(files.length > 0 ? { files } : {}) });
    setVersionHeaders(reply, this.configuration);
    return this.getState(request);
  }

  @Get('files')
  @Operation({
    id: 'listRuleFiles',
    summary: 'Rule files',
    description:
      'The rule files that the configuration names: crawl.rules, global.rules, indexer.conf. They contain no secrets, only ' +
      'references. Rule files are changed, checked and previewed as parts of the configuration: send `files` with it.',
    role: 'read',
    crawlers: 'handler',
  })
  @PageResponse(ruleFileSchema, 'All files, by name; none for a caller whose role is limited to crawlers.')
  listFiles(
    @Req() { crawlers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Page<Answer<typeof ruleFileSchema>> {
    setVersionHeaders(reply, this.configuration);
    return { items: crawlers ? [] : this.configuration.listRuleFiles().map(ruleFileSchema.from), next: null };
  }

  @Get('state')
  @Operation({
    id: 'getConfigurationState',
    summary: 'Version, warnings, and whether the file is in force',
    description:
      'Linter warnings, and the errors in the file on disk if it was changed and cannot be used; not for a caller whose role is limited to crawlers.',
    role: 'read',
    crawlers: 'handler',
  })
  @ApiOkResponse({ schema: configurationStateSchema.ref })
  getState(@Req() { crawlers }: FastifyRequest): StateAnswer {
    const state = configurationStateSchema.from(this.configuration);
    return crawlers ? { ...state, file: basename(state.file), warnings: [], rejected: [] } : state;
  }

  @Post('check')
  @Operation({
    id: 'checkConfiguration',
    summary: 'Check a configuration',
    description: 'Reports every error and every questionable rule with file, line and column. Nothing is changed.',
    role: 'admin',
    crawlers: 'handler',
    writes: false,
    consumes: DRAFT_TYPES,
  })
  @DraftBody()
  @ApiOkResponse({ schema: checkSchema.ref })
  async check(
    @Body(DraftBodyPipe) draft: ConfigurationDraft,
    @Req() { crawlers }: FastifyRequest,
  ): Promise<Answer<typeof checkSchema>> {
    return checkSchema.from({
      problems: await this.configuration.check(widenDraft(this.configuration, draft, crawlers)),
    });
  }

  @Post('test-sink')
  @Operation({
    id: 'testSinkOfConfiguration',
    summary: 'Test a sink before putting it in force',
    description:
      'Tests whether the sink of the given configuration responds and would accept orders. Nothing is changed or sent.',
    role: 'admin',
    crawlers: 'handler',
    consumes: DRAFT_TYPES,
    problems: {
      404: 'The configuration has no sink with that name.',
      422: 'The configuration has errors; `errors` lists all.',
    },
  })
  @DraftBody()
  @ApiOkResponse({ schema: sinkTestSchema.ref })
  async testSubmittedSink(
    @Body(DraftBodyPipe) draft: ConfigurationDraft,
    @Query() { sink }: SinkQuery,
    @Req() { crawlers }: FastifyRequest,
  ): Promise<SinkTest> {
    return this.testSink(await this.configuration.findSink(widenDraft(this.configuration, draft, crawlers), sink));
  }

  @Post('look')
  @Operation({
    id: 'lookAtPage',
    searches: true,
    summary: 'Preview a page under a configuration that is not in force',
    description:
      'Fetches robots.txt and, unless that forbids it, the page, as the crawler in the given configuration would, and judges each link on ' +
      'the page. Nothing is stored, queued or pushed. Politeness applies. The configured logins are not used.',
    role: 'admin',
    crawlers: 'query',
    consumes: DRAFT_TYPES,
    problems: {
      404: 'The configuration has no crawler with that name.',
      422: 'The configuration has errors (`errors` lists all), the string is not a URL, or no request can be sent to the host at the moment.',
    },
  })
  @DraftBody()
  @ApiOkResponse({ schema: pageViewSchema.ref })
  async lookAtPage(
    @Body(DraftBodyPipe) draft: ConfigurationDraft,
    @Query() query: LookQuery,
    @Req() { crawlers }: FastifyRequest,
  ): Promise<Answer<typeof pageViewSchema>> {
    const whole = widenDraft(this.configuration, draft, crawlers);
    return pageViewSchema.from(await this.configuration.viewPage(whole, query.crawler, query.url));
  }

  @Post('preview')
  @Operation({
    id: 'previewConfiguration',
    searches: true,
    summary: 'Preview the effects of a configuration',
    description:
      'Judges the stored URLs with the given configuration and changes nothing. ' +
      `With \`Accept: ${NDJSON_TYPE}\` interim reports are sent, one per line, and \`done\` is true in the last one; otherwise only the final report is sent.`,
    role: 'admin',
    crawlers: 'handler',
    writes: false,
    consumes: DRAFT_TYPES,
    problems: { 422: 'The configuration has errors; `errors` lists all.' },
  })
  @DraftBody()
  @ApiOkResponse({
    description: 'The report.',
    content: {
      'application/json': { schema: previewSchema.ref },
      [NDJSON_TYPE]: {
        schema: { type: 'string' },
        example: '{"crawlers":[],"removed":[],"judged":12,"total":42,"done":false,"needsConfirmation":[]}\n',
      },
    },
  })
  async preview(
    @Body(DraftBodyPipe) draft: ConfigurationDraft,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientGone() signal: AbortSignal,
    @Req() { crawlers }: FastifyRequest,
  ): Promise<PreviewAnswer | AsyncIterable<string> | undefined> {
    const whole = widenDraft(this.configuration, draft, crawlers);
    const reports = await this.configuration.preview(whole, crawlers);
    if (accept?.includes(NDJSON_TYPE)) {
      reply.type(NDJSON_TYPE);
      return toLines(reports);
    }
    let lastReport: PreviewAnswer | undefined;
    for await (const report of reports) {
      signal.throwIfAborted();
      lastReport = previewSchema.from(report);
    }
    return lastReport;
  }
}

async function* toLines(reports: AsyncIterable<PreviewReport>): AsyncIterable<string> {
  for await (const report of reports) yield `${JSON.stringify(previewSchema.from(report))}\n`;
}
