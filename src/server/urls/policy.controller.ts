import { Body, Controller, Get, Inject, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { RefusedView } from '../../engine/crawl/frontier/refused-links.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { ConfigurationFormat } from '../configuration/configuration-format.js';
import { IsText, IsTruth } from '../http/fields.js';
import { Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, integer, listOf, schema, text, time, url } from '../http/schema.js';
import { LOCAL_CALLER } from '../security/api-keys.js';
import { SameSiteGuard } from '../security/guards.js';
import { API, CONFIGURATION_FORMAT, ENGINE } from '../tokens.js';
import { contentTrialSchema, pageViewSchema } from './page-view.schema.js';
import { ExplainQuery, PageViewQuery, UrlQuery } from './url.query.js';
import { judgedSchema } from './url-history.schema.js';

/** Maximum number of characters in a `cw:Content`. */
const MAX_CONTENT = 20_000;

class ContentTrialRequestDto extends UrlQuery {
  @IsText({
    minLength: 1,
    maxLength: MAX_CONTENT,
    description: 'One `cw:Content` element as it would appear in CrawlConfig.xml.',
    example: '<cw:Content><cw:Include select="main"/><cw:Field name="author" select=".author"/></cw:Content>',
  })
  content!: string;

  @IsTruth({ required: false, description: 'Run the scripts of the page before reading it.' })
  render?: boolean;

  @IsTruth({ required: false, description: 'Fetch the page again even if there is a recent copy.' })
  fresh?: boolean;
}

const refusedSampleSchema = schema<RefusedView['samples'][number]>()('RefusedSample', {
  url: url(),
  from: text('https://www.example.com/', 'The page that links to the URL.'),
  at: time(),
});

const refusedSchema = schema<RefusedView>()('Refused', {
  reason: text('http-404', 'Reason code.'),
  host: text('www.example.com').from('hostKey'),
  count: integer(3, 'Links refused since the start of the process.'),
  samples: listOf(refusedSampleSchema),
});

type PageViewAnswer = Answer<typeof pageViewSchema>;

@Controller(`${API}/crawlers/:crawler`)
export class PolicyController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CONFIGURATION_FORMAT) private readonly format: ConfigurationFormat,
  ) {}

  @Get('explain')
  @Operation({
    id: 'explainUrl',
    summary: 'Explain why a URL is crawled or not',
    description:
      'A headline that says what happened to the URL and what to do next; then the verdict of the crawl policy with its whole trace, what robots.txt ' +
      'said when it was last fetched, the source in which the URL is queued, and every visit, order and refused link on record. Works for any URL, stored or not. ' +
      'Nothing is fetched or queued.',
    role: 'read',
    problems: { ...UNKNOWN_CRAWLER, 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({ schema: judgedSchema.ref })
  async explain(
    @Param('crawler') crawler: string,
    @Query() { url, from }: ExplainQuery,
  ): Promise<Answer<typeof judgedSchema>> {
    return judgedSchema.from(await this.engine.explanations.explain(crawler, url, from));
  }

  @Get('page')
  @UseGuards(SameSiteGuard)
  @Operation({
    id: 'viewPage',
    summary: 'What is extracted from a page, and its links with their verdicts',
    description:
      'Fetches the page now, reads it according to `cw:Content`, and judges each of its links; nothing is queued or pushed. With `render`, its scripts run, and the page as it was sent is shown beside the result. Politeness applies.',
    role: 'operate',
    problems: { ...UNKNOWN_CRAWLER, 422: 'The string is not a URL.' },
  })
  @ApiOkResponse({ schema: pageViewSchema.ref })
  async viewPage(@Param('crawler') crawler: string, @Query() { url, render }: PageViewQuery): Promise<PageViewAnswer> {
    return pageViewSchema.from(await this.engine.explanations.viewPage(crawler, url, render));
  }

  @Post('page/trial')
  @Operation({
    id: 'tryContent',
    searches: true,
    summary: 'Preview what a `cw:Content` element extracts from a page',
    description:
      'Reads a page with the given element before it is saved; nothing is stored, queued or pushed. The page is fetched on the first call, ' +
      'politely, and kept for ten minutes for the key that made the call, so that further calls do not request it from the site. Errors in the element are ' +
      'returned with their places; `reading` is then absent. Plug-ins are not called.',
    role: 'operate',
    writes: false,
    problems: {
      ...UNKNOWN_CRAWLER,
      422: 'The string is not a URL, or no request can be sent to the host at the moment.',
    },
  })
  @ApiOkResponse({ schema: contentTrialSchema.ref })
  async tryContent(
    @Param('crawler') crawler: string,
    @Body() { content, ...page }: ContentTrialRequestDto,
    @Req() request: FastifyRequest,
  ): Promise<Answer<typeof contentTrialSchema>> {
    const { definition, problems } = this.format.readContent(content);
    const who = (request.caller ?? LOCAL_CALLER).name;
    const trial = await this.engine.trials.run(crawler, { ...page, who, content: definition });
    return contentTrialSchema.from({ ...trial, problems });
  }

  @Get('refused')
  @Operation({
    id: 'listRefused',
    summary: 'Refused links',
    description:
      'Links that were never stored, counted by reason and host since the start of the process, with samples.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(refusedSchema)
  async listRefused(@Param('crawler') crawler: string): Promise<Page<Answer<typeof refusedSchema>>> {
    return { items: (await this.engine.urls.listRefusedLinks(crawler)).map(refusedSchema.from), next: null };
  }
}
