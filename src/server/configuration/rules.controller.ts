import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiProperty,
  getSchemaPath,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, Min } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { ClientGone } from '../http/client-gone.js';
import { IfGiven, IsWholeNumber, toWholeNumber, WholeNumberPipe } from '../http/fields.js';
import { JSON_TYPE, Operation, XML_TYPE } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import type { Answer } from '../http/schema.js';
import { API } from '../tokens.js';
import { CHANGE_PROBLEMS, ConfirmQuery, createWriteRequest, IfMatch, setVersionHeaders } from './conditional-write.js';
import { previewSchema } from './configuration.schema.js';
import { ConfigurationService } from './configuration.service.js';
import { createEdit } from './part-of-crawlers.js';
import { RULE_EXAMPLE, RuleBodyPipe, type RuleInput, RuleInputDto, type RuleView, ruleSchema } from './rule.dto.js';

type PreviewAnswer = Answer<typeof previewSchema>;

const RulePosition = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      required: false,
      type: 'integer',
      minimum: 0,
      description: 'Position of the new rule. Absent: at the end.',
    }),
    IfGiven(),
    Transform(({ value }) => toWholeNumber(value)),
    IsInt(),
    Min(0),
  );

class PreviewRuleQuery {
  @RulePosition()
  index?: number;
}

class InsertQuery extends ConfirmQuery {
  @RulePosition()
  index?: number;
}

class MoveDto {
  @IsWholeNumber({ minimum: 0, example: 1 })
  from!: number;

  @IsWholeNumber({ minimum: 0, description: 'Position of the rule after the move.', example: 2 })
  to!: number;
}

const NOT_FOUND_PROBLEM = { 404: 'There is no such crawler or rule.' };

const RuleBody = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(RuleInputDto),
    ApiBody({
      schema: {
        oneOf: [{ $ref: getSchemaPath(RuleInputDto) }, { type: 'string', minLength: 1, example: RULE_EXAMPLE }],
      },
    }),
  );

@Controller(`${API}/config/crawlers/:crawler/rules`)
export class RulesController {
  constructor(@Inject(ConfigurationService) private readonly configuration: ConfigurationService) {}

  @Get()
  @Operation({
    id: 'listRules',
    summary: 'Crawl rules',
    description: 'All rules of a crawler in the order of evaluation, both broken down into parts and as XML.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @PageResponse(ruleSchema, 'All rules.')
  list(@Param('crawler') crawler: string, @Res({ passthrough: true }) reply: FastifyReply): Page<RuleView> {
    setVersionHeaders(reply, this.configuration);
    return { items: this.listRules(crawler).map(ruleSchema.from), next: null };
  }

  @Get(':index')
  @Operation({
    id: 'getRule',
    summary: 'One crawl rule',
    description: 'The rule at a position, counted from 0 across all Rules blocks of the crawler.',
    role: 'read',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ schema: ruleSchema.ref })
  get(
    @Param('crawler') crawler: string,
    @Param('index', WholeNumberPipe) index: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): RuleView {
    setVersionHeaders(reply, this.configuration);
    return ruleSchema.from(this.findRule(crawler, index));
  }

  @Post()
  @HttpCode(201)
  @IfMatch()
  @Operation({
    id: 'insertRule',
    summary: 'Insert a crawl rule',
    description: 'Inserts a rule at a position or at the end. The body is JSON or one Rule element.',
    role: 'admin',
    consumes: [JSON_TYPE, XML_TYPE],
    problems: { ...CHANGE_PROBLEMS, ...NOT_FOUND_PROBLEM },
  })
  @RuleBody()
  @ApiCreatedResponse({ schema: ruleSchema.ref })
  async insert(
    @Param('crawler') crawler: string,
    @Body(RuleBodyPipe) rule: RuleInput,
    @Query() query: InsertQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<RuleView> {
    const { format } = this.configuration;
    await this.configuration.change(
      (xml) => format.insertRule(xml, crawler, rule, query.index),
      createWriteRequest(request, query),
    );
    const writtenRule =
      query.index === undefined ? this.listRules(crawler).at(-1)! : this.findRule(crawler, query.index);
    note.recordChange(undefined, { index: writtenRule.index, xml: writtenRule.xml });
    setVersionHeaders(reply, this.configuration);
    return ruleSchema.from(writtenRule);
  }

  @Put(':index')
  @IfMatch()
  @Operation({
    id: 'replaceRule',
    summary: 'Replace a crawl rule',
    description: 'Its position, group and key stay the same.',
    role: 'admin',
    consumes: [JSON_TYPE, XML_TYPE],
    problems: { ...CHANGE_PROBLEMS, ...NOT_FOUND_PROBLEM },
  })
  @RuleBody()
  @ApiOkResponse({ schema: ruleSchema.ref })
  async replace(
    @Param('crawler') crawler: string,
    @Param('index', WholeNumberPipe) index: number,
    @Body(RuleBodyPipe) rule: RuleInput,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<RuleView> {
    const { format } = this.configuration;
    const before = this.findRule(crawler, index).xml;
    await this.configuration.change(
      (xml) => format.replaceRule(xml, crawler, index, rule),
      createWriteRequest(request, query),
    );
    const writtenRule = this.findRule(crawler, index);
    note.recordChange({ index, xml: before }, { index, xml: writtenRule.xml });
    setVersionHeaders(reply, this.configuration);
    return ruleSchema.from(writtenRule);
  }

  @Delete(':index')
  @HttpCode(204)
  @IfMatch()
  @Operation({
    id: 'deleteRule',
    summary: 'Delete a crawl rule',
    description: 'The rules after it move up by one.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, ...NOT_FOUND_PROBLEM },
  })
  @ApiNoContentResponse({ description: 'The rule was deleted.' })
  async remove(
    @Param('crawler') crawler: string,
    @Param('index', WholeNumberPipe) index: number,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<void> {
    const { format } = this.configuration;
    const before = this.findRule(crawler, index).xml;
    await this.configuration.change(
      (xml) => format.deleteRule(xml, crawler, index),
      createWriteRequest(request, query),
    );
    note.recordChange({ index, xml: before }, undefined);
    setVersionHeaders(reply, this.configuration);
  }

  @Post('preview')
  @Operation({
    id: 'previewRule',
    searches: true,
    summary: 'Preview the effects of a new crawl rule',
    description:
      'Judges the stored URLs as if the rule were inserted at the position, or at the end, and changes nothing.',
    role: 'admin',
    writes: false,
    consumes: [JSON_TYPE, XML_TYPE],
    problems: { ...NOT_FOUND_PROBLEM, 422: 'The rule has errors; `errors` lists all.' },
  })
  @RuleBody()
  @ApiOkResponse({ schema: previewSchema.ref })
  async preview(
    @Param('crawler') crawler: string,
    @Body(RuleBodyPipe) rule: RuleInput,
    @Query() { index }: PreviewRuleQuery,
    @Req() { crawlers }: FastifyRequest,
    @ClientGone() signal: AbortSignal,
  ): Promise<PreviewAnswer> {
    const { format, current } = this.configuration;
    const xml = format.insertRule(current.xml, crawler, rule, index);
    const draft = createEdit(this.configuration, current.xml, xml, crawlers);
    let lastReport: PreviewAnswer | undefined;
    for await (const report of await this.configuration.preview(draft, crawlers)) {
      signal.throwIfAborted();
      lastReport = previewSchema.from(report);
    }
    return lastReport!;
  }

  @Post('move')
  @IfMatch()
  @Operation({
    id: 'moveRule',
    summary: 'Move a crawl rule',
    description: 'Later rules override earlier ones: the order matters.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, ...NOT_FOUND_PROBLEM },
  })
  @PageResponse(ruleSchema, 'All rules in their new order.')
  async move(
    @Param('crawler') crawler: string,
    @Body() { from, to }: MoveDto,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<Page<RuleView>> {
    const { format } = this.configuration;
    await this.configuration.change(
      (xml) => format.moveRule(xml, crawler, from, to),
      createWriteRequest(request, query),
    );
    note.recordChange({ index: from }, { index: to });
    return this.list(crawler, reply);
  }

  private listRules(crawler: string): readonly RuleView[] {
    return this.configuration.listRules(crawler);
  }

  private findRule(crawler: string, index: number): RuleView {
    const rules = this.listRules(crawler);
    const rule = rules[index];
    if (rule) return rule;
    throw new ProblemException(
      'not-found',
      `There is no rule ${index}: ${crawler} has ${rules.length} rule(s), counted from 0.`,
    );
  }
}
