import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import { findLikeHint } from '../../domain/url/like-pattern.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { RefreshOutcome, RestingHost } from '../../engine/views/url-views.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { ClientGone } from '../http/client-gone.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import { encodeCursor, parseNumberCursor } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { type Answer, countSchema, listOf, schema, text, timeAhead } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { listSortedUrls } from './sorted-urls.js';
import { ClearQuery, RefreshDto, UrlFilterQuery, UrlQuery, UrlsQuery } from './url.query.js';
import { requireFilter, toUrlFilter } from './url-filter.js';
import { urlHistorySchema } from './url-history.schema.js';
import { urlPageSchema } from './url-state.schema.js';

const restingHostSchema = schema<RestingHost>()('RestingHost', {
  host: text('www.example.com').from('hostKey'),
  until: timeAhead('No further request is made before this time, unless the one request succeeds.'),
});

const refreshedSchema = schema<RefreshOutcome>()('Refreshed', {
  ...countSchema.fields,
  resting: listOf(
    restingHostSchema,
    'Hosts of these URLs that rest because they failed or asked crawlers to slow down, at most 100. One request is made to each of them as soon as its throttle allows; a good response ends the rest, any other leaves it unchanged.',
  ),
});

type CountAnswer = Answer<typeof countSchema>;
type UrlPageAnswer = Answer<typeof urlPageSchema>;

@Controller(`${API}/crawlers/:crawler`)
export class UrlsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get('urls')
  @Operation({
    id: 'listUrls',
    searches: true,
    summary: 'Stored URLs',
    description:
      "URLs that the crawler knows, in the store's order; filters narrow the list. Each response is quick: if a page has few or no URLs but has `next`, the search was cut off after a time limit; `searched` says how far it got, and `next` continues it.",
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: urlPageSchema.ref })
  async list(
    @Param('crawler') crawler: string,
    @Query() query: UrlsQuery,
    @ClientGone() signal: AbortSignal,
  ): Promise<UrlPageAnswer> {
    const after = parseNumberCursor(query.cursor) ?? 0;
    if (query.sort !== undefined) {
      const sortedUrls = await listSortedUrls(this.engine.urls, toUrlFilter(crawler, query), query, signal);
      const end = after + query.limit;
      const next = end < sortedUrls.length ? encodeCursor(end) : null;
      return urlPageSchema.from({ items: sortedUrls.slice(after, end), next, searched: 1 });
    }
    const { urls, ...progress } = await this.engine.urls.search(toUrlFilter(crawler, query), after, query.limit + 1);
    const pageUrls = urls.slice(0, query.limit);
    const next = urls.length > query.limit ? pageUrls.at(-1)!.id : progress.next;
    return urlPageSchema.from({
      items: pageUrls,
      next: next === undefined ? null : encodeCursor(next),
      searched: next === undefined ? 1 : progress.searched,
    });
  }

  @Get('urls/count')
  @Operation({
    id: 'countUrls',
    searches: true,
    summary: 'How many stored URLs match a filter',
    description:
      'Takes the filters of `listUrls`. The call takes a while if a pattern has to be matched against many URLs.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: countSchema.ref })
  async count(
    @Param('crawler') crawler: string,
    @Query() query: UrlFilterQuery,
    @ClientGone() signal: AbortSignal,
  ): Promise<CountAnswer> {
    await this.engine.getCrawler(crawler);
    return { count: await this.engine.urls.count(toUrlFilter(crawler, query), signal) };
  }

  @Get('url')
  @Operation({
    id: 'getUrl',
    summary: 'The history of a URL',
    description:
      'How the URL was found, the verdict with its trace, every fetch and order on record, and the next visit.',
    role: 'read',
    problems: { 404: 'There is no such crawler, or the URL is not stored.', 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({ schema: urlHistorySchema.ref })
  async getUrlHistory(
    @Param('crawler') crawler: string,
    @Query() { url }: UrlQuery,
  ): Promise<Answer<typeof urlHistorySchema>> {
    return urlHistorySchema.from(await this.engine.explanations.getUrlHistory(crawler, url));
  }

  @Delete('urls')
  @Operation({
    id: 'clearUrls',
    searches: true,
    summary: 'Clear the URLs that match a filter',
    description:
      'Deletes all stored URLs that match the filters of `listUrls`, such as a LIKE pattern, and their documents from the index. At least one filter is required (otherwise 400); `like=%` means all URLs.',
    role: 'operate',
    problems: {
      ...UNKNOWN_CRAWLER,
      409: '`confirm=true` is missing; `count` says how many URLs match.',
      422: 'No filter is set.',
    },
  })
  @ApiOkResponse({ schema: countSchema.ref, description: 'The number of URLs that were cleared.' })
  async clear(
    @Param('crawler') crawler: string,
    @Query() { confirm, ...query }: ClearQuery,
    @Audited() note: ChangeNote,
    @ClientGone() signal: AbortSignal,
  ): Promise<CountAnswer> {
    await this.engine.getCrawler(crawler);
    const filter = requireFilter(query);
    if (confirm !== true) {
      const count = await this.engine.urls.count({ ...filter, crawler }, signal);
      throw new ProblemException(
        'confirmation-needed',
        count === 0
          ? `No stored URL matches. ${findLikeHint(query.like ?? '%') ?? ''}`.trim()
          : `${count} stored URLs match, and their documents would be removed from the index. Repeat with confirm=true to delete them.`,
        { count },
      );
    }
    const count = await this.engine.maintenance.clear(crawler, filter);
    note.recordChange({ matching: count }, { matching: 0 });
    return { count };
  }

  @Post('refresh')
  @Operation({
    id: 'refreshUrls',
    searches: true,
    summary: 'Refresh now',
    description:
      'Makes URLs due now: the one specified by `url`, or all that match the filters of `listUrls`. A host that rests (because it failed, or asked crawlers to slow down) still gets one request; `resting` names it.',
    role: 'operate',
    problems: {
      404: 'There is no such crawler, or the URL is not stored.',
      422: 'Neither `url` nor a filter is set, or both are.',
    },
  })
  @ApiBody({
    type: RefreshDto,
    examples: {
      url: { value: { url: 'https://www.example.com/docs/start.html' } },
      filter: { value: { like: 'https://www.example.com/docs/%' } },
    },
  })
  @ApiOkResponse({ schema: refreshedSchema.ref })
  async refresh(
    @Param('crawler') crawler: string,
    @Body() body: RefreshDto,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof refreshedSchema>> {
    const { url, ...query } = body;
    const hasFilter = Object.values(query).some((value) => value !== undefined);
    if ((url !== undefined) === hasFilter) {
      throw new ProblemException('unacceptable', 'Specify either `url` or at least one of the filters of `listUrls`.');
    }
    const outcome = await this.engine.maintenance.refresh(crawler, url === undefined ? requireFilter(query) : { url });
    note.recordChange(undefined, { ...body, count: outcome.count });
    return refreshedSchema.from(outcome);
  }

  @Delete('errors')
  @Operation({
    id: 'clearErrors',
    summary: 'Clear the error cache',
    description:
      'Forgets all URLs in error; the crawler may rediscover them through links. Roots, and URLs whose document is in the index, are visited again instead.',
    role: 'operate',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({ schema: countSchema.ref })
  async clearErrors(@Param('crawler') crawler: string, @Audited() note: ChangeNote): Promise<CountAnswer> {
    const count = await this.engine.maintenance.clearErrors(crawler);
    note.recordChange({ inError: count }, { inError: 0 });
    return { count };
  }
}
