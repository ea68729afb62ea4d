import { Body, Controller, Get, Header, Inject, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { iterateLines, type TextLine } from '../../domain/url/url-list.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { findLineFault, MAX_LISTED, requireLines, sliceLines } from '../http/line-slices.js';
import { Operation, TEXT_TYPE, UNKNOWN_CRAWLER } from '../http/operation.js';
import { type Answer, integer, list, ownSchema, text } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const importSchema = ownSchema('Import', {
  imported: integer(1, 'Lines with a URL that was not known before.'),
  known: integer(12, 'Known URLs, whose state was kept.'),
  rejected: integer(1, 'Lines that could not be read.'),
  problems: list(
    text('line 3: "https://" is not a URL with a host'),
    'The first of the rejected lines, with their numbers.',
    { maxItems: MAX_LISTED },
  ),
});

type ImportAnswer = Answer<typeof importSchema>;

async function importInSlices(engine: EngineApi, crawler: string, text: string): Promise<ImportAnswer> {
  const totals = { imported: 0, known: 0, rejected: 0 };
  const listedProblems: string[] = [];
  const reject = (line: number, problem: string): void => {
    totals.rejected++;
    if (listedProblems.length < MAX_LISTED) listedProblems.push(`line ${line}: ${problem}`);
  };
  await engine.getCrawler(crawler);
  for await (const slice of sliceLines(iterateLines(text))) {
    const usableLines: TextLine[] = [];
    for (const line of slice) {
      const fault = findLineFault(line);
      if (fault) reject(line.line, fault);
      else usableLines.push(line);
    }
    const { imported, known, problems } = await engine.pendingUrls.import(crawler, usableLines);
    totals.imported += imported;
    totals.known += known;
    for (const { line, problem } of problems) reject(line, problem);
  }
  return { ...totals, problems: listedProblems };
}

const EXAMPLE = 'https://docs.example.com/ docs 1795280798\nhttps://docs.example.com/new.html docs 0\n';

@Controller(`${API}/crawlers/:crawler/pending`)
export class PendingController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Operation({
    id: 'getPending',
    summary: 'The whole store as a pending file',
    description:
      'One line for each URL, `URL realm state`, in alphabetical order; state 2 is an error, a Unix time is when the document in the index was last ' +
      'visited, and 0 is a URL that is waiting for its first visit. URLs that were visited and have no document (noindex, redirects, other ' +
      'media types, robots.txt), and those that are not visited (filtered, excluded), are left out.',
    role: 'read',
    problems: UNKNOWN_CRAWLER,
  })
  @ApiProduces(TEXT_TYPE)
  @ApiOkResponse({
    content: { [TEXT_TYPE]: { schema: { type: 'string', minLength: 1, example: EXAMPLE } } },
    description: 'The file.',
  })
  async exportPending(@Param('crawler') crawler: string): Promise<AsyncIterable<string>> {
    await this.engine.getCrawler(crawler);
    return this.engine.pendingUrls.export(crawler);
  }

  @Put()
  @Operation({
    id: 'importPending',
    summary: 'Import a pending file',
    description:
      'Imports the lines whose URL is not known; a known URL keeps its state. The realm must be the name of the crawler, ' +
      'URL-encoded, and the state must be 0, 2 or a Unix time of 9 or 10 digits that is not in the future. If there are several lines for one URL, ' +
      'the first one is imported, and the others are counted as known. A URL with state 2 is not retried until the error cache is cleared or ' +
      'someone requests it; an indexed URL is refreshed as if it had been visited by this server at that time.',
    role: 'operate',
    consumes: [TEXT_TYPE],
    problems: UNKNOWN_CRAWLER,
  })
  @ApiBody({ schema: { type: 'string', minLength: 1, example: EXAMPLE } })
  @ApiOkResponse({ schema: importSchema.ref })
  async importPending(
    @Param('crawler') crawler: string,
    @Body() text: unknown,
    @Audited() note: ChangeNote,
  ): Promise<ImportAnswer> {
    const outcome = await importInSlices(this.engine, crawler, requireLines(text));
    const { imported, known, rejected } = outcome;
    note.recordChange(undefined, { imported, known, rejected });
    return outcome;
  }
}
