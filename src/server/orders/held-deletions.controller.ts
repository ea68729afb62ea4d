import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import type { HeldDeletions } from '../../engine/views/delivery-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { countSchema } from '../http/count.schema.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { type Answer, counts, integer, list, schema, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const NOT_FOUND_PROBLEM = { 404: 'The guard holds nothing for that host.' };

const heldDeletionsSchema = schema<HeldDeletions>()('HeldDeletions', {
  host: text('www.example.com').from('hostKey'),
  crawler: text('docs'),
  count: integer(3),
  awaiting: integer(
    3,
    'Number of these deletions that need no decision by an operator: they wait for a sign of life of the host (`awaiting-sign-of-life`) or for an early look (`awaiting-early-look`). The others wait for an operator.',
  ),
  oldest: time('When the oldest of these deletions was decided.'),
  reasons: counts({ 'http-404': 3 }, 'Number of deletions by reason code.'),
  samples: list(text('https://www.example.com/a.html'), 'A sample of the URIs.'),
});

type CountAnswer = Answer<typeof countSchema>;

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
  @PageResponse(heldDeletionsSchema)
  async list(): Promise<Page<Answer<typeof heldDeletionsSchema>>> {
    return { items: (await this.engine.orders.listHeldDeletions()).map(heldDeletionsSchema.from), next: null };
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
  @ApiOkResponse({ schema: countSchema.ref })
  async release(@Param('host') host: string, @Audited() note: ChangeNote): Promise<CountAnswer> {
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
  @ApiOkResponse({ schema: countSchema.ref })
  async drop(@Param('host') host: string, @Audited() note: ChangeNote): Promise<CountAnswer> {
    const count = await this.engine.orders.dropHeldDeletions(host);
    note.recordChange({ held: count }, { dropped: count });
    return { count };
  }
}
