import {
  Controller,
  ForbiddenException,
  Get,
  Inject,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { HOLD_CAUSES } from '../../domain/crawl/change-guard.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { HeldChangeGroup, HeldChangeSample, HeldDeletions } from '../../engine/views/delivery-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { IsText } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, countSchema, counts, integer, list, listOf, oneOf, schema, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const NOT_FOUND_PROBLEM = { 404: 'The guards hold nothing for that host, or nothing with that reason.' };

class DecisionQuery {
  @IsText({
    required: false,
    description: 'Only what has this reason, such as a cause for which changes are held. Default: everything.',
    example: 'one-page-everywhere',
    maxLength: 100,
  })
  reason?: string;
}

const heldChangeGroupSchema = schema<HeldChangeGroup>()('HeldChangeGroup', {
  cause: oneOf(HOLD_CAUSES, 'Why the changes are held; the reason with which they can be released or dropped.'),
  count: integer(3),
  oldest: time('Since when the oldest of these changes has been held.'),
  replaces: integer(3, 'Number of documents that would be replaced by what their pages say now.'),
  deletes: integer(0, 'Number of documents that would be deleted.'),
});

const heldChangeSampleSchema = schema<HeldChangeSample>()('HeldChange', {
  crawler: text('docs'),
  uri: text('https://www.example.com/a.html'),
  cause: oneOf(HOLD_CAUSES),
  since: time('When the change was first held.'),
  title: text('Black tea', 'Title of the document in the index.'),
  indexedText: text('Black tea is …', 'The beginning of its text; absent if no sink can be asked.').optional(),
  finding: text('the page says: "We will be back soon."', 'What the last visit found.').optional(),
});

const heldDeletionsSchema = schema<HeldDeletions>()('HeldDeletions', {
  host: text('www.example.com').from('hostKey'),
  crawler: text('docs'),
  count: integer(3),
  awaiting: integer(
    3,
    'Number of these that need no decision by an operator: they wait for a sign of life of the host (`awaiting-sign-of-life`), for an early look (`awaiting-early-look`), for other pages that fail alike (`awaiting-other-pages`), or, if they are changes, until its pages have answers of their own again. The others wait for an operator.',
  ),
  oldest: time('When the oldest of these deletions was decided.'),
  reasons: counts({ 'http-404': 3 }, 'Number of deletions by reason code.'),
  samples: list(text('https://www.example.com/a.html'), 'A sample of the URIs.'),
  changes: listOf(heldChangeGroupSchema, 'What of it is held by the change guard.'),
});

type CountAnswer = Answer<typeof countSchema>;

@Controller(`${API}/held-deletions`)
export class HeldDeletionsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listHeldDeletions',
    summary: 'What the guards hold',
    description:
      'Deletions that were decided but are withheld, by host: because too many were decided at once, or until the host shows a sign of life. And changes, by cause: many pages of the host suddenly say the same.',
    role: 'read',
    crawlers: 'items',
  })
  @PageResponse(heldDeletionsSchema)
  async list(): Promise<Page<Answer<typeof heldDeletionsSchema>>> {
    return { items: (await this.engine.orders.listHeldDeletions()).map(heldDeletionsSchema.from), next: null };
  }

  @Get(':host/changes')
  @Operation({
    id: 'listHeldChanges',
    summary: 'Compare held changes',
    description:
      'Up to five pages of the host for each crawler and cause: what is indexed, and what the page says now.',
    role: 'read',
    crawlers: 'items',
  })
  @PageResponse(heldChangeSampleSchema)
  async listChanges(@Param('host') host: string): Promise<Page<Answer<typeof heldChangeSampleSchema>>> {
    return { items: (await this.engine.orders.compareHeldChanges(host)).map(heldChangeSampleSchema.from), next: null };
  }

  @Post(':host/release')
  @Operation({
    id: 'releaseHeldDeletions',
    summary: 'Release held deletions',
    description:
      "The host's held deletions are sent to the sinks; the pages of its held changes are visited, and what they say then is believed.",
    role: 'operate',
    crawlers: 'handler',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ schema: countSchema.ref })
  async release(
    @Param('host') host: string,
    @Query() { reason }: DecisionQuery,
    @Req() request: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<CountAnswer> {
    await this.requireOwn(request, host);
    const released = requireSome(await this.engine.orders.releaseHeldDeletions(host, reason));
    note.recordChange({ held: released }, { released });
    return { count: released };
  }

  @Post(':host/drop')
  @Operation({
    id: 'dropHeldDeletions',
    summary: 'Drop held deletions',
    description:
      "The host's held deletions and changes are discarded, and the documents stay in the index: until a later visit finds a page gone again; a change is not held again as long as its page says the same. What a page says that is being visited is discarded when its visit has ended.",
    role: 'operate',
    crawlers: 'handler',
    problems: NOT_FOUND_PROBLEM,
  })
  @ApiOkResponse({ schema: countSchema.ref })
  async drop(
    @Param('host') host: string,
    @Query() { reason }: DecisionQuery,
    @Req() request: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<CountAnswer> {
    await this.requireOwn(request, host);
    const dropped = requireSome(await this.engine.orders.dropHeldDeletions(host, reason));
    note.recordChange({ held: dropped }, { dropped });
    return { count: dropped };
  }

  /** A decision about a host is one about all crawlers of the host for which something is held. */
  private async requireOwn({ crawlers }: FastifyRequest, host: string): Promise<void> {
    if (!crawlers) return;
    const held = await this.engine.orders.listHeldDeletions();
    if (held.some(({ hostKey, crawler }) => hostKey === host && !crawlers.has(crawler)))
      throw new ForbiddenException(`Deletions of other crawlers are held for ${host}, too.`);
  }
}

function requireSome(count: number): number {
  if (count > 0) return count;
  throw new NotFoundException(NOT_FOUND_PROBLEM[404]);
}
