import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { UrlFilter } from '../../engine/ports/frontier-store.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CountDto } from '../http/count.dto.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation } from '../http/operation.js';
import { cursorAt, numberCursor } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { API, ENGINE } from '../tokens.js';
import { BiographyDto, biographyDto } from './biography.dto.js';
import { ClearQuery, RefreshDto, UrlQuery, UrlsQuery } from './url.query.js';
import { UrlPageDto, urlStateDto } from './url-state.dto.js';

const UNKNOWN = { 404: 'There is no crawler of that name.' };

@ApiTags('URLs')
@Controller(`${API}/crawlers/:crawler`)
export class UrlsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('urls')
  @CrawlerName()
  @Operation({
    id: 'listUrls',
    summary: 'Stored URLs',
    description:
      'URLs that the crawler knows, in an order of the store; filters narrow the list. An answer never takes long: a page with few URLs or none and yet with `next` was searched for a bounded time, `searched` says how far, and `next` goes on.',
    role: 'read',
    problems: UNKNOWN,
  })
  @ApiOkResponse({ type: UrlPageDto })
  async list(@Param('crawler') crawler: string, @Query() query: UrlsQuery): Promise<UrlPageDto> {
    const after = numberCursor(query.cursor) ?? 0;
    const { urls, ...progress } = await this.engine.search(filterOf(crawler, query), after, query.limit + 1);
    const shown = urls.slice(0, query.limit);
    const next = urls.length > query.limit ? shown.at(-1)!.id : progress.next;
    return {
      items: shown.map(urlStateDto),
      next: next === undefined ? null : cursorAt(next),
      searched: next === undefined ? 1 : progress.searched,
    };
  }

  @Get('url')
  @CrawlerName()
  @Operation({
    id: 'getUrl',
    summary: "One URL's biography",
    description:
      'How it was found, the verdict with its trace, every fetch and every order that is kept, and the next visit.',
    role: 'read',
    problems: { 404: 'There is no such crawler, or the URL is not stored.', 422: 'The text is no URL.' },
  })
  @ApiOkResponse({ type: BiographyDto })
  async biography(@Param('crawler') crawler: string, @Query() { url }: UrlQuery): Promise<BiographyDto> {
    return biographyDto(await this.engine.biography(crawler, url));
  }

  @Delete('urls')
  @CrawlerName()
  @Operation({
    id: 'clearUrls',
    summary: 'Clear by pattern',
    description: 'Deletes all stored URLs that match the LIKE pattern, and their documents from the index.',
    role: 'operate',
    problems: { ...UNKNOWN, 409: '`confirm=true` is missing; `count` says how many URLs match.' },
  })
  @ApiOkResponse({ type: CountDto, description: 'So many URLs were cleared.' })
  async clear(
    @Param('crawler') crawler: string,
    @Query() { like, confirm }: ClearQuery,
    @Audited() note: ChangeNote,
  ): Promise<CountDto> {
    await this.engine.crawler(crawler);
    if (confirm !== true) {
      const count = await this.engine.countUrls({ crawler, like });
      throw new ProblemException(
        'confirmation-needed',
        `${count} stored URLs match, and their documents would leave the index. Repeat with confirm=true to do it.`,
        { count },
      );
    }
    const count = await this.engine.clear(crawler, like);
    note.changed({ matching: count }, { matching: 0 });
    return { count };
  }

  @Post('refresh')
  @HttpCode(200)
  @CrawlerName()
  @Operation({
    id: 'refreshUrls',
    summary: 'Refresh now',
    description: 'Makes URLs due now: one by `url`, or all that fit what is given of `like`, `host` and `reason`.',
    role: 'operate',
    problems: { 404: 'There is no such crawler, or the URL is not stored.' },
  })
  @ApiOkResponse({ type: CountDto })
  async refresh(
    @Param('crawler') crawler: string,
    @Body() what: RefreshDto,
    @Audited() note: ChangeNote,
  ): Promise<CountDto> {
    const narrows = [what.like, what.host, what.reason].some((one) => one !== undefined);
    if ((what.url !== undefined) === narrows) {
      throw new ProblemException('invalid-request', 'Give either `url`, or some of `like`, `host` and `reason`.');
    }
    const count = await this.engine.refresh(crawler, what);
    note.changed(undefined, { ...what, count });
    return { count };
  }

  @Delete('errors')
  @CrawlerName()
  @Operation({
    id: 'clearErrors',
    summary: 'Clear the error cache',
    description: 'Forgets all URLs in error state; a link to one of them finds it anew.',
    role: 'operate',
    problems: UNKNOWN,
  })
  @ApiOkResponse({ type: CountDto })
  async clearErrors(@Param('crawler') crawler: string, @Audited() note: ChangeNote): Promise<CountDto> {
    const count = await this.engine.clearErrors(crawler);
    note.changed({ inError: count }, { inError: 0 });
    return { count };
  }
}

function filterOf(crawler: string, query: UrlsQuery): UrlFilter & { crawler: string } {
  return {
    crawler,
    status: query.status,
    hostKey: query.host,
    source: query.source && (SOURCES.indexOf(query.source) as SourceNumber),
    prefix: query.prefix,
    like: query.like,
    reason: query.reason,
    indexed: query.indexed,
    visitedBefore: momentOf(query.visitedBefore),
    visitedSince: momentOf(query.visitedSince),
  };
}

const momentOf = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : instant(Date.parse(text));
