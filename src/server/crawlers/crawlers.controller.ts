import { Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import type { Instant } from '../../domain/time/units.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { MAX_OLDEST_HOSTS } from '../../engine/ports/frontier-store.js';
import type { CrawlerView } from '../../engine/views/crawler-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { PAST_PROBLEM, PauseQuery, parseUntil } from '../http/pause.query.js';
import type { Answer } from '../http/schema.js';
import { toOptionalIsoTime } from '../http/time.js';
import { API, ENGINE } from '../tokens.js';
import { crawlerSchema, oldestSchema } from './crawler.schema.js';

type CrawlerAnswer = Answer<typeof crawlerSchema>;

@Controller(`${API}/crawlers`)
export class CrawlersController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listCrawlers',
    summary: 'All crawlers',
    description: 'State, counts by status, sources and rates of every crawler, and what limits its speed.',
    role: 'read',
    crawlers: 'items',
  })
  @PageResponse(crawlerSchema)
  async list(): Promise<Page<CrawlerAnswer>> {
    return { items: (await this.engine.listCrawlers()).map((view) => this.toAnswer(view)), next: null };
  }

  @Get(':crawler')
  @Operation({
    id: 'getCrawler',
    summary: 'One crawler',
    description: 'State, counts by status, sources and rates of the crawler, and what limits its speed.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: crawlerSchema.ref })
  async get(@Param('crawler') crawler: string): Promise<CrawlerAnswer> {
    return this.toAnswer(await this.engine.getCrawler(crawler));
  }

  @Get(':crawler/oldest')
  @Operation({
    id: 'listOldest',
    summary: 'The oldest queued URL of each source',
    description:
      `For each source, the URL that has been due longest, among the ${MAX_OLDEST_HOSTS} hosts whose URLs have been due longest. ` +
      'Empty sources are left out.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(oldestSchema)
  async listOldest(@Param('crawler') crawler: string): Promise<Page<Answer<typeof oldestSchema>>> {
    const oldest = await this.engine.urls.findOldestQueued(crawler);
    return { items: Array.from(oldest, ([source, url]) => oldestSchema.from({ source, ...url })), next: null };
  }

  @Post(':crawler/start')
  @Operation({
    id: 'startCrawler',
    summary: 'Start',
    description: 'The crawler starts fetching, and continues to do so after a restart of the server.',
    role: 'operate',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: crawlerSchema.ref })
  start(@Param('crawler') crawler: string, @Audited() note: ChangeNote): Promise<CrawlerAnswer> {
    return this.setState(crawler, 'running', note);
  }

  @Post(':crawler/pause')
  @Operation({
    id: 'pauseCrawler',
    summary: 'Pause',
    description:
      'The crawler fetches nothing new until it is started again, or until the end of the pause; orders in memory are delivered.',
    role: 'operate',
    problems: { ...UNKNOWN_CRAWLER, ...PAST_PROBLEM },
  })
  @ApiOkResponse({ schema: crawlerSchema.ref })
  pause(
    @Param('crawler') crawler: string,
    @Query() query: PauseQuery,
    @Audited() note: ChangeNote,
  ): Promise<CrawlerAnswer> {
    return this.setState(crawler, 'paused', note, parseUntil(query));
  }

  @Post(':crawler/stop')
  @Operation({
    id: 'stopCrawler',
    summary: 'Stop',
    description: 'The crawler fetches nothing until it is started again, and abandons what is in flight.',
    role: 'operate',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: crawlerSchema.ref })
  stop(@Param('crawler') crawler: string, @Audited() note: ChangeNote): Promise<CrawlerAnswer> {
    return this.setState(crawler, 'stopped', note);
  }

  private toAnswer(view: CrawlerView): CrawlerAnswer {
    return crawlerSchema.from({ ...view, pausedUntil: this.engine.pauseEnds.find('crawler', view.name) });
  }

  private async setState(
    crawler: string,
    state: CrawlerRunState,
    note: ChangeNote,
    until?: Instant,
  ): Promise<CrawlerAnswer> {
    const before = await this.engine.getCrawler(crawler);
    await this.engine.pauseEnds.set('crawler', crawler, until);
    await this.engine.setRunState(crawler, state);
    note.recordChange({ state: before.state }, { state, until: toOptionalIsoTime(until) });
    return this.get(crawler);
  }
}
