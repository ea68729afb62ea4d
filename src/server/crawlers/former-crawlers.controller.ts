import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, IntersectionType } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCUMENT_DECISIONS, type DocumentDecision } from '../../domain/crawl/former-crawler.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { FormerCrawlerView } from '../../engine/views/crawler-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import {
  CHANGE_PROBLEMS,
  ConfirmQuery,
  createWriteRequest,
  IfMatch,
  setVersionHeaders,
} from '../configuration/conditional-write.js';
import { configurationStateSchema } from '../configuration/configuration.schema.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { IsOneOf, IsText } from '../http/fields.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { type Answer, integer, list, oneOf, schema, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const DECISION =
  '`delete`: they are deleted from the index. `keep`: they stay, and can be deleted later. `hand-over`: they belong to the crawler in `to`, which pushes to the same sinks.';

class DecisionDto {
  @IsOneOf(DOCUMENT_DECISIONS, { description: `What becomes of the documents. ${DECISION}` })
  documents!: (typeof DOCUMENT_DECISIONS)[number];

  @IsText({
    minLength: 1,
    required: false,
    description: 'The crawler that takes the documents over.',
    example: 'docs',
    maxLength: 200,
  })
  to?: string;
}

class RenameDto extends DecisionDto {
  @IsText({ description: 'The new name.', example: 'docs', minLength: 1, maxLength: 200 })
  name!: string;
}

/** The query of a removal: like the body of other decisions. */
class RemoveQuery extends IntersectionType(ConfirmQuery, DecisionDto) {}

const formerCrawlerSchema = schema<FormerCrawlerView>()('FormerCrawler', {
  name: text('docs'),
  since: time('Since when the configuration does not name it.'),
  urls: integer(51, 'Stored URLs.'),
  indexed: integer(42, 'Documents in the index.'),
  sinks: list(text('main'), 'The sinks that have its documents.'),
  decision: oneOf(DOCUMENT_DECISIONS, `What becomes of its documents; absent until somebody decides. ${DECISION}`)
    .optional()
    .by(({ decision }: FormerCrawlerView) => decision?.documents),
  to: text('intranet', 'The crawler that takes the documents over.')
    .optional()
    .by(({ decision }: FormerCrawlerView) => (decision?.documents === 'hand-over' ? decision.to : undefined)),
});

type FormerAnswer = Answer<typeof formerCrawlerSchema>;
type StateAnswer = Answer<typeof configurationStateSchema>;

@Controller(API)
export class FormerCrawlersController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
  ) {}

  @Get('former-crawlers')
  @Operation({
    id: 'listFormerCrawlers',
    summary: 'Crawlers that are no longer in the configuration',
    description:
      'Crawlers that were renamed or removed while URLs of them are stored. Their documents stay in the index until somebody decides. `listUrls`, `clearUrls` and `getCrawler` accept their names, too.',
    role: 'read',
    crawlers: 'items',
  })
  @PageResponse(formerCrawlerSchema)
  async list(): Promise<Page<FormerAnswer>> {
    return { items: (await this.engine.formerCrawlers.list()).map(formerCrawlerSchema.from), next: null };
  }

  @Post('former-crawlers/:crawler/documents')
  @Operation({
    id: 'decideFormerDocuments',
    summary: 'Decide what becomes of the documents of a former crawler',
    description: 'Documents are deleted or handed over in the background. The decision can be made anew.',
    role: 'operate',
    crawlers: 'server',
    problems: {
      404: 'There is no former crawler with that name, or no crawler that could take over its documents.',
      422: 'The other crawler pushes to other sinks, or changes of the former one are held.',
    },
  })
  @ApiOkResponse({ schema: formerCrawlerSchema.ref })
  async decide(
    @Param('crawler') crawler: string,
    @Body() body: DecisionDto,
    @Audited() note: ChangeNote,
  ): Promise<FormerAnswer> {
    const view = await this.engine.formerCrawlers.decide(crawler, toDecision(body));
    note.recordChange({ documents: view.indexed }, { documents: body.documents, to: body.to });
    return formerCrawlerSchema.from(view);
  }

  @Post('crawlers/:crawler/rename')
  @IfMatch()
  @Operation({
    id: 'renameCrawler',
    summary: 'Rename a crawler',
    description:
      'Changes the name in the configuration, and decides what becomes of the documents. With `hand-over` and without `to`, the crawler keeps its URLs and documents under the new name.',
    role: 'admin',
    crawlers: 'server',
    problems: { ...CHANGE_PROBLEMS, ...UNKNOWN_CRAWLER },
  })
  @ApiOkResponse({ schema: configurationStateSchema.ref })
  async rename(
    @Param('crawler') crawler: string,
    @Body() body: RenameDto,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<StateAnswer> {
    const decision = toDecision({ to: body.name, ...body });
    const { format } = this.configuration;
    return this.change(crawler, { decision, newName: body.name, note, reply }, () =>
      this.configuration.change(
        (xml) => format.renameCrawler(xml, crawler, body.name),
        createWriteRequest(request, query),
      ),
    );
  }

  @Delete('crawlers/:crawler')
  @IfMatch()
  @Operation({
    id: 'removeCrawler',
    summary: 'Remove a crawler',
    description: 'Removes the crawler from the configuration, and decides what becomes of its documents.',
    role: 'admin',
    crawlers: 'server',
    problems: { ...CHANGE_PROBLEMS, ...UNKNOWN_CRAWLER },
  })
  @ApiOkResponse({ schema: configurationStateSchema.ref })
  async remove(
    @Param('crawler') crawler: string,
    @Query() query: RemoveQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<StateAnswer> {
    const { format } = this.configuration;
    return this.change(crawler, { decision: toDecision(query), note, reply }, () =>
      this.configuration.change((xml) => format.removeCrawler(xml, crawler), createWriteRequest(request, query)),
    );
  }

  private async change(
    crawler: string,
    { decision, newName, note, reply }: CrawlerChange,
    putInForce: () => Promise<unknown>,
  ): Promise<StateAnswer> {
    const { formerCrawlers } = this.engine;
    await formerCrawlers.requirePossible(crawler, decision, newName);
    await putInForce();
    const isStored = (await formerCrawlers.list()).some(({ name }) => name === crawler);
    if (isStored) await formerCrawlers.decide(crawler, decision);
    note.recordChange({ crawler }, { crawler: newName, ...decision });
    setVersionHeaders(reply, this.configuration);
    return configurationStateSchema.from(this.configuration);
  }
}

interface CrawlerChange {
  readonly decision: DocumentDecision;
  readonly newName?: string;
  readonly note: ChangeNote;
  readonly reply: FastifyReply;
}

function toDecision({ documents, to }: DecisionDto): DocumentDecision {
  if (documents !== 'hand-over') return { documents };
  if (to !== undefined) return { documents, to };
  throw new ProblemException('unacceptable', 'Name the crawler that takes the documents over in `to`.');
}
