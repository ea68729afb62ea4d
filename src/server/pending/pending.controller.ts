import { Body, Controller, Get, Header, Inject, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiProduces, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CrawlerName } from '../http/crawler-name.js';
import { Operation, TEXT_TYPE } from '../http/operation.js';
import { textBody } from '../http/text-body.js';
import { API, ENGINE } from '../tokens.js';

class ImportDto {
  @ApiProperty({ type: 'integer', description: 'Lines that brought a URL that was not known.' })
  imported!: number;

  @ApiProperty({ type: 'integer', description: 'URLs that keep the state they have.' })
  known!: number;

  @ApiProperty({ type: [String], description: 'Lines that could not be read, with their numbers.' })
  problems!: readonly string[];
}

const EXAMPLE = 'https://docs.example.com/ docs 1795280798\nhttps://docs.example.com/new.html docs 0\n';

@ApiTags('Pending file')
@Controller(`${API}/crawlers/:crawler/pending`)
export class PendingController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  @CrawlerName()
  @Operation({
    id: 'getPending',
    summary: 'The whole store as a pending file',
    description:
      'One line each, `URL realm state`, alphabetical; 0 is waiting, 2 error, else the Unix time it was indexed. ' +
      'What is neither queued nor in error and was never visited (filtered, excluded) is left out.',
    role: 'read',
    problems: { 404: 'There is no crawler of that name.' },
  })
  @ApiProduces(TEXT_TYPE)
  @ApiOkResponse({
    content: { [TEXT_TYPE]: { schema: { type: 'string', example: EXAMPLE } } },
    description: 'The file.',
  })
  async read(@Param('crawler') crawler: string): Promise<AsyncIterable<string>> {
    await this.engine.crawler(crawler);
    return this.engine.pending(crawler);
  }

  @Put()
  @CrawlerName()
  @Operation({
    id: 'importPending',
    summary: 'Import a pending file',
    description:
      'Brings in the lines whose URL is not known; a known URL keeps its state. The realm has to be the name of the crawler, ' +
      'URL-encoded, and the state 0, 2 or a Unix time of 9 or 10 digits.',
    role: 'operate',
    consumes: [TEXT_TYPE],
    problems: { 404: 'There is no crawler of that name.' },
  })
  @ApiBody({ schema: { type: 'string', example: EXAMPLE } })
  @ApiOkResponse({ type: ImportDto })
  async write(
    @Param('crawler') crawler: string,
    @Body() text: unknown,
    @Audited() note: ChangeNote,
  ): Promise<ImportDto> {
    const { imported, known, problems } = await this.engine.importPending(crawler, textBody(text));
    note.changed(undefined, { imported, known, problems: problems.length });
    return { imported, known, problems };
  }
}
