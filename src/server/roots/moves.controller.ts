import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import type { SiteMoveView } from '../../engine/control/site-move-decisions.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { type Answer, integer, schema, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

class MoveDecisionBody {
  @ApiProperty({ description: 'The root whose home page redirects.', example: 'https://www.example.com/' })
  @IsString()
  @MaxLength(2048)
  root!: string;

  @ApiProperty({
    description:
      'true: the site is crawled at its new address. false: it is not, and documents whose pages redirect there leave the index, under the deletion guard.',
  })
  @IsBoolean()
  follow!: boolean;
}

const siteMoveSchema = schema<SiteMoveView>()('SiteMove', {
  crawler: text('docs'),
  root: text('https://www.example.com/', 'The root whose home page redirects to another site.'),
  target: text('https://www.example.org/', 'Where it redirects to.'),
  reason: text('move-to-another-domain', 'Why the crawl does not follow by itself.'),
  since: time('When this was first seen.'),
  documents: integer(120, 'Number of documents that stay in the index although their pages redirect there.'),
});

@ApiTags('Roots')
@Controller(API)
export class MovesController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('moves')
  @Operation({
    id: 'listMoves',
    summary: 'Moves that wait for a decision',
    description:
      'Sites whose home page redirects to another site, to which the crawl does not move by itself. Their documents stay in the index.',
    role: 'read',
  })
  @PageResponse(siteMoveSchema)
  async list(): Promise<Page<Answer<typeof siteMoveSchema>>> {
    return { items: (await this.engine.moves.list()).map(siteMoveSchema.from), next: null };
  }

  @Post('crawlers/:crawler/moves')
  @HttpCode(204)
  @CrawlerName()
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
