import { applyDecorators, Body, Controller, Inject, Param, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { IfGiven } from '../http/fields.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import { API } from '../tokens.js';
import { CHANGE_PROBLEMS, ConfirmQuery, createWriteRequest, IfMatch, setVersionHeaders } from './conditional-write.js';
import { ConfigurationService } from './configuration.service.js';

/** The configuration is checked as a whole, and its check names a weight that is out of bounds. */
const IsWeight = (example: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example }),
    IfGiven(),
    IsInt(),
  ) as PropertyDecorator;

class WeightsDto {
  @IsWeight(5)
  user?: number;

  @IsWeight(4)
  redir?: number;

  @IsWeight(1)
  index?: number;

  @IsWeight(3)
  index_follow?: number;

  @IsWeight(2)
  follow?: number;

  @IsWeight(1)
  refresh?: number;
}

@Controller(`${API}/config/crawlers/:crawler/weights`)
export class WeightsController {
  constructor(@Inject(ConfigurationService) private readonly configuration: ConfigurationService) {}

  @Put()
  @IfMatch()
  @Operation({
    id: 'setWeights',
    summary: 'Set source weights',
    description: 'Writes the given weights into the configuration; the other weights are unchanged.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, ...UNKNOWN_CRAWLER },
  })
  @ApiOkResponse({ type: WeightsDto, description: 'All weights in force.' })
  async set(
    @Param('crawler') crawler: string,
    @Body() weights: WeightsDto,
    @Query() query: ConfirmQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Audited() note: ChangeNote,
  ): Promise<WeightsDto> {
    const { format } = this.configuration;
    const before = this.findWeights(crawler);
    await this.configuration.change(
      (xml) => format.setWeights(xml, crawler, omitUndefined(weights)),
      createWriteRequest(request, query),
    );
    note.recordChange(before, this.findWeights(crawler));
    setVersionHeaders(reply, this.configuration);
    return { ...this.findWeights(crawler) };
  }

  private findWeights(crawler: string): WeightsDto | undefined {
    return this.configuration.current.definition.crawlers.find(({ name }) => name === crawler)?.weights;
  }
}

/** Leaves out the fields that were not sent, which are present but undefined. */
const omitUndefined = (weights: WeightsDto): Partial<WeightsDto> =>
  Object.fromEntries(Object.entries(weights).filter(([, weight]) => weight !== undefined));
