import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { asBoolean } from '../http/boolean.js';
import { IfGiven } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, ENGINE, SEARCH_PAGE } from '../tokens.js';
import { ReconciliationDto, reconciliationDto, SinkDto, sinkDto } from './sink.dto.js';

class ReconcileQuery {
  @ApiProperty({ required: false, default: false, description: 'Send orders that mend the differences.' })
  @IfGiven()
  @Transform(({ value }) => asBoolean(value))
  @IsBoolean()
  repair?: boolean;
}

@ApiTags('Sinks')
@Controller(`${API}/sinks`)
export class SinksController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(SEARCH_PAGE) private readonly searchPage: string,
  ) {}

  @Get()
  @Operation({
    id: 'listSinks',
    summary: 'Destinations of push orders',
    description: 'State of each sink and what is on the way to it.',
    role: 'read',
  })
  @PageResponse(SinkDto)
  async list(): Promise<Page<SinkDto>> {
    const { sinks, crawlers } = this.engine.definition;
    const pageOf = (name: string): string | undefined => {
      const url = sinks.find((sink) => sink.name === name)?.url;
      return url && this.searchPage.startsWith(`${URL.parse(url)?.origin}/`) ? this.searchPage : undefined;
    };
    const crawlersOf = (name: string): string[] =>
      crawlers.filter(({ pushTo }) => pushTo.includes(name)).map((crawler) => crawler.name);
    const views = await this.engine.allSinks();
    return {
      items: views.map((view) => sinkDto(view, { crawlers: crawlersOf(view.name), searchPage: pageOf(view.name) })),
      next: null,
    };
  }

  @Post(':sink/reconcile')
  @HttpCode(200)
  @Operation({
    id: 'reconcileSink',
    summary: 'Compare a sink with the store',
    description: 'Lists what the sink holds and reports what is missing, extra or stale there; repairs it on request.',
    role: 'operate',
    problems: { 404: 'There is no sink of that name.', 422: 'The sink cannot list what it holds.' },
  })
  @ApiOkResponse({ type: ReconciliationDto })
  async reconcile(
    @Param('sink') sink: string,
    @Query() { repair = false }: ReconcileQuery,
    @Audited() note: ChangeNote,
  ): Promise<ReconciliationDto> {
    const report = await this.engine.reconcile(sink, repair);
    note.changed(
      { missing: report.missing.count, extra: report.extra.count, stale: report.stale.count },
      { repaired: report.repaired },
    );
    return reconciliationDto(report);
  }
}
