import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EngineApi } from '../../engine/engine-api.js';
import type { SearchStep } from '../../engine/ports/frontier-store.js';
import { ClientGone } from '../http/client-gone.js';
import { answerAsFile, CSV_TYPE, toCsvLine } from '../http/csv.js';
import { IsOneOf } from '../http/fields.js';
import { NDJSON_TYPE, Operation, UNKNOWN_CRAWLER } from '../http/operation.js';
import type { Answer } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { UrlsQuery } from './url.query.js';
import { toUrlFilter } from './url-filter.js';
import { urlStateSchema } from './url-state.schema.js';

const PAGE_SIZE = 1_000;

class ExportQuery extends UrlsQuery {
  @IsOneOf(['csv', 'ndjson'], { required: false, default: 'csv' })
  format?: 'csv' | 'ndjson';
}

@Controller(`${API}/crawlers/:crawler/urls/export`)
export class ExportController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'exportUrls',
    searches: true,
    summary: 'All stored URLs that match a filter, as a file',
    description:
      'Takes the filters of `listUrls`, without paging: CSV with a header, or a line of JSON for each URL. `limit` and `cursor` are ignored.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiOkResponse({
    description: 'The file.',
    content: {
      [CSV_TYPE]: {
        schema: { type: 'string' },
        example: 'url,status,reason\nhttps://www.example.com/docs/start.html,indexed,indexed\n',
      },
      [NDJSON_TYPE]: {
        schema: { type: 'string' },
        example: '{"url":"https://www.example.com/docs/start.html","status":"indexed","reason":"indexed"}\n',
      },
    },
  })
  async export(
    @Param('crawler') crawler: string,
    @Query() query: ExportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientGone() signal: AbortSignal,
  ): Promise<AsyncIterable<string>> {
    await this.engine.getCrawler(crawler);
    const format = query.format ?? 'csv';
    answerAsFile(reply, 'urls', format);
    return this.streamLines(crawler, query, signal);
  }

  private async *streamLines(crawler: string, query: ExportQuery, signal: AbortSignal): AsyncIterable<string> {
    const isCsv = query.format !== 'ndjson';
    if (isCsv) yield `${COLUMNS.join(',')}\r\n`;
    const filter = toUrlFilter(crawler, query);
    for (let after: number | undefined = 0; after !== undefined; ) {
      signal.throwIfAborted();
      const { urls, next }: SearchStep = await this.engine.urls.search(filter, after, PAGE_SIZE);
      yield urls
        .map(urlStateSchema.from)
        .map((url) => (isCsv ? toCsvLine(url, COLUMNS) : `${JSON.stringify(url)}\n`))
        .join('');
      after = urls.length === PAGE_SIZE ? urls.at(-1)!.id : next;
    }
  }
}

type UrlStateAnswer = Answer<typeof urlStateSchema>;

const COLUMNS = [
  'url',
  'status',
  'reason',
  'source',
  'dueAt',
  'lastVisitAt',
  'lastStatus',
  'firstSeenAt',
  'foundOn',
  'hops',
  'visits',
  'changes',
] as const satisfies readonly (keyof UrlStateAnswer)[];
