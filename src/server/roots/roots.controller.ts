import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { stripUserInfo } from '../../domain/url/crawl-url.js';
import { iterateUrlListEntries, type TextLine } from '../../domain/url/url-list.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { findLineFault, MAX_LISTED, requireLines, sliceLines } from '../http/line-slices.js';
import { Operation, TEXT_TYPE, UNKNOWN_CRAWLER } from '../http/operation.js';
import { mapPage, type Page, PageQuery, PageResponse, parseTextCursor, toPage } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import type { Answer } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { explanationSchema } from '../urls/explanation.schema.js';
import { UrlQuery } from '../urls/url.query.js';
import { urlStateSchema } from '../urls/url-state.schema.js';
import {
  RootSubmissionDto,
  rootSchema,
  type SubmitOutcomeAnswer,
  type UrlListOutcomeAnswer,
  urlListOutcomeSchema,
} from './root.schema.js';

@Controller(`${API}/crawlers/:crawler/roots`)
export class RootsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listRoots',
    summary: 'Root URLs',
    description:
      'Roots of the configuration, then submitted ones, in alphabetical order, with what is known about each.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @PageResponse(rootSchema)
  async list(@Param('crawler') crawler: string, @Query() query: PageQuery): Promise<Page<Answer<typeof rootSchema>>> {
    const after = parseTextCursor(query.cursor) ?? '';
    const roots = await this.engine.roots.list(crawler, after, query.limit + 1);
    return mapPage(
      toPage(roots, query.limit, ({ position }) => position),
      rootSchema.from,
    );
  }

  @Post()
  @Operation({
    id: 'submitRoot',
    summary: 'Submit a root URL',
    description: 'The URL is queued as a root; a known URL becomes due now.',
    role: 'operate',
    problems: { ...UNKNOWN_CRAWLER, 422: 'The crawl policy rejects the URL; `explanation` says why.' },
  })
  @ApiCreatedResponse({ schema: urlStateSchema.ref, description: 'The URL was not known.' })
  @ApiOkResponse({ schema: urlStateSchema.ref, description: 'The URL was already known.' })
  async submit(
    @Param('crawler') crawler: string,
    @Body() root: RootSubmissionDto,
    @Audited() note: ChangeNote,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<typeof urlStateSchema>> {
    const [result] = await this.engine.roots.submit(crawler, [root]);
    if (!result) throw new ProblemException('unacceptable', 'The URL was neither accepted nor rejected.');
    if (result.outcome === 'rejected') {
      const { message, explanation } = result;
      throw new ProblemException('rejected-by-policy', message, {
        explanation: explanation && explanationSchema.from(explanation),
        errors: [{ pointer: '/url', detail: message, code: explanation?.verdict.reason }],
      });
    }
    note.recordChange(result.outcome, root);
    reply.status(result.outcome === 'new' ? 201 : 200);
    return urlStateSchema.from(result.url);
  }

  @Post('list')
  @Operation({
    id: 'submitUrlList',
    summary: 'Submit a URL list',
    description:
      'One URL per line; `#` begins a comment, and a backslash at the end of a line continues it on the next one. ' +
      'A line that is too long or not a URL is rejected with its number; the first 1,000 rejections are listed. ' +
      'Accepted are pages on the sites of the crawler, and what its rules accept as roots without `site`. ' +
      'With `deleteNoServer="no"` the whole server of each URL is crawled.',
    role: 'operate',
    consumes: [TEXT_TYPE],
    problems: UNKNOWN_CRAWLER,
  })
  @ApiBody({ schema: { type: 'string', minLength: 1, example: '# our sites\nhttps://docs.example.com/\n' } })
  @ApiOkResponse({ schema: urlListOutcomeSchema.ref })
  async submitList(
    @Param('crawler') crawler: string,
    @Body() text: unknown,
    @Audited() note: ChangeNote,
  ): Promise<UrlListOutcomeAnswer> {
    const outcome = await submitInSlices(this.engine, crawler, requireLines(text));
    note.recordChange(undefined, { new: outcome.new, known: outcome.known, rejected: outcome.rejected });
    return outcome;
  }

  @Delete()
  @HttpCode(204)
  @Operation({
    id: 'removeRoot',
    summary: 'Remove a submitted root',
    description:
      'The URL is no longer a root. URLs that the rules accept stay; URLs that only the site mode of this root accepted are excluded, and their documents deleted, when they are next visited.',
    role: 'operate',
    problems: { 404: 'There is no such crawler, or none of its submitted roots has the URL.' },
  })
  @ApiNoContentResponse({ description: 'The root was removed.' })
  async remove(
    @Param('crawler') crawler: string,
    @Query() { url }: UrlQuery,
    @Audited() note: ChangeNote,
  ): Promise<void> {
    await this.engine.roots.remove(crawler, url);
    note.recordChange({ root: url }, undefined);
  }
}

/** Maximum number of characters of a rejected line that the response repeats. */
const MAX_SHOWN_LENGTH = 200;

async function submitInSlices(engine: EngineApi, crawler: string, text: string): Promise<UrlListOutcomeAnswer> {
  const totals = { new: 0, known: 0, rejected: 0 };
  const rejections: SubmitOutcomeAnswer[] = [];
  const reject = (line: number, url: string, message: string, reason?: string): void => {
    totals.rejected++;
    if (rejections.length < MAX_LISTED)
      rejections.push({ url: url.slice(0, MAX_SHOWN_LENGTH), outcome: 'rejected', line, message, reason });
  };
  await engine.getCrawler(crawler);
  for await (const slice of sliceLines(iterateUrlListEntries(text))) {
    const usableEntries: TextLine[] = [];
    for (const entry of slice) {
      const fault = findLineFault(entry);
      if (!fault) usableEntries.push(entry);
      else reject(entry.line, stripUserInfo(entry.text.slice(0, MAX_SHOWN_LENGTH)), fault);
    }
    const outcomes = await engine.roots.submitList(
      crawler,
      usableEntries.map((entry) => entry.text),
    );
    outcomes.forEach((outcome, i) => {
      if (outcome.outcome !== 'rejected') totals[outcome.outcome]++;
      else reject(usableEntries[i]!.line, outcome.url, outcome.message, outcome.explanation?.verdict.reason);
    });
  }
  return { ...totals, rejections };
}
