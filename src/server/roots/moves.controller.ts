import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse } from '@nestjs/swagger';
import type { PageMoveView, SiteMoveView } from '../../engine/control/site-move-decisions.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { IsText, IsTruth } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, integer, list, one, schema, text, time, url } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

class MoveDecisionBody {
  @IsText({ description: 'The root whose home page redirects.', example: 'https://www.example.com/', maxLength: 2048 })
  root!: string;

  @IsTruth({
    description:
      'true: the site is crawled at its new address. false: it is not, and documents whose pages redirect there leave the index, under the deletion guard.',
  })
  follow!: boolean;
}

const pageMoveSchema = schema<PageMoveView>()('PageMove', {
  from: text('https://www.example.com/old/*', 'What the old addresses have in common.'),
  done: integer(110, 'Number of pages that are found at their new address.'),
  total: integer(120, 'Number of pages with an old address of this form, whether or not they have been visited since.'),
  waiting: integer(5, 'Number of pages whose new address has not been visited yet.'),
  failing: integer(2, 'Number of pages whose new address has failed; they are found at the old one.'),
  nowhere: list(url(), 'Pages whose new address does not exist, up to 100.'),
});

const siteMoveSchema = schema<SiteMoveView>()('SiteMove', {
  crawler: text('docs'),
  root: text('https://www.example.com/', 'The root whose home page redirects to another site, or whose pages move.'),
  target: text(
    'https://www.example.org/',
    'Where it redirects to. For pages: what their new addresses have in common.',
  ),
  reason: text(
    'move-to-another-domain',
    'Why the crawl does not follow by itself; `redirected` if pages are moving, which needs no decision.',
  ),
  pages: one(pageMoveSchema, 'How far the move of pages has come.').optional(),
  since: time('When this was first seen.'),
  documents: integer(120, 'Number of documents that stay in the index although their pages redirect there.'),
});

@Controller(API)
export class MovesController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('moves')
  @Operation({
    id: 'listMoves',
    summary: 'Moves of sites',
    description:
      'Sites whose home page redirects to another site, to which the crawl does not move by itself: their documents stay in the index until someone decides. And sites whose pages redirect to new addresses of their own, with the number of those that have arrived; such a move is listed for a week, or until it is done.',
    role: 'read',
    crawlers: 'items',
  })
  @PageResponse(siteMoveSchema)
  async list(): Promise<Page<Answer<typeof siteMoveSchema>>> {
    return { items: (await this.engine.moves.list()).map(siteMoveSchema.from), next: null };
  }

  @Post('crawlers/:crawler/moves')
  @HttpCode(204)
  @Operation({
    id: 'decideMove',
    summary: 'Follow or decline a move',
    description:
      'Decides whether the crawl follows a site to its new address. It never moves to a host for which another crawler of the same sink has a root.',
    role: 'operate',
    problems: { 404: 'There is no crawler with that name, or no such move waits for a decision.' },
  })
  @ApiNoContentResponse()
  async decide(
    @Param('crawler') crawler: string,
    @Body() { root, follow }: MoveDecisionBody,
    @Audited() note: ChangeNote,
  ): Promise<void> {
    await this.engine.moves.decide(crawler, root, follow);
    note.recordChange({ root }, { root, follow });
  }
}
