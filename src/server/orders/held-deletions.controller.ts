import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CountDto } from '../http/count.dto.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';
import { HeldDeletionsDto, toHeldDeletionsDto } from './order.dto.js';

const NOT_FOUND_PROBLEM = { 404: 'The guard holds nothing for that host.' };

@ApiTags('Orders')
@Controller(`${API}/held-deletions`)
export class HeldDeletionsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listHeldDeletions',
    summary: 'What the deletion guard holds',
    description:
      'Deletions that were decided but are withheld, by host: because too many were decided at once, or until the host shows a sign of life.',
    role: 'read',
  })
  @PageResponse(HeldDeletionsDto)
  async list(): Promise<Page<HeldDeletionsDto>> {
    return { items: (await this.engine.orders.listHeldDeletions()).map(toHeldDeletionsDto), next: null };
  }

  @Post(':host/release')
  @HttpCode(200)
  @Operation({
    id: 'releaseHeldDeletions',
    summary: 'Release held deletions',
    description: "The host's held deletions are sent to the sinks.",
    role: 'operate',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ type: CountDto })
  async release(@Param('host') host: string, @Audited() note: ChangeNote): Promise<CountDto> {
    const count = await this.engine.orders.releaseHeldDeletions(host);
    note.recordChange({ held: count }, { released: count });
    return { count };
  }

  @Post(':host/drop')
  @HttpCode(200)
  @Operation({
    id: 'dropHeldDeletions',
    summary: 'Drop held deletions',
    description:
      "The host's held deletions are discarded; the documents stay in the index until a later visit decides again.",
    role: 'operate',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ type: CountDto })
  async drop(@Param('host') host: string, @Audited() note: ChangeNote): Promise<CountDto> {
    const count = await this.engine.orders.dropHeldDeletions(host);
    note.recordChange({ held: count }, { dropped: count });
    return { count };
  }
}
