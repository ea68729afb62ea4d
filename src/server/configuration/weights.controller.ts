import { Body, Controller, Inject, Param, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CrawlerName } from '../http/crawler-name.js';
import { IfGiven } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import { API } from '../tokens.js';
import { CHANGE_PROBLEMS, ConfirmQuery, createWriteRequest, IfMatch, setVersionHeaders } from './conditional-write.js';
import { ConfigurationService } from './configuration.service.js';

class WeightsDto {
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 5 })
  @IfGiven()
  @IsInt()
  user?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 4 })
  @IfGiven()
  @IsInt()
  redir?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 1 })
  @IfGiven()
  @IsInt()
  index?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 3 })
  @IfGiven()
  @IsInt()
  index_follow?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 2 })
  @IfGiven()
  @IsInt()
  follow?: number;

  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 1_000_000, example: 1 })
  @IfGiven()
  @IsInt()
  refresh?: number;
}

@ApiTags('Configuration')
@Controller(`${API}/config/crawlers/:crawler/weights`)
export class WeightsController {
  constructor(@Inject(ConfigurationService) private readonly configuration: ConfigurationService) {}

  @Put()
  @CrawlerName()
  @IfMatch()
  @Operation({
    id: 'setWeights',
    summary: 'Set source weights',
    description: 'Writes the given weights into the configuration; the other weights are unchanged.',
    role: 'admin',
    problems: { ...CHANGE_PROBLEMS, 404: 'There is no crawler with that name.' },
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
