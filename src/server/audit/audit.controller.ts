import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { AuditEntry, AuditLog } from '../../engine/ports/administration.js';
import { CrawlerFilter } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import { mapPage, type Page, PageQuery, PageResponse, parseNumberCursor, toPage } from '../http/paging.js';
import { type Answer, integer, schema, text, time } from '../http/schema.js';
import { API, AUDIT_LOG } from '../tokens.js';

class AuditQuery extends PageQuery {
  @CrawlerFilter('Only calls that name this crawler.')
  crawler?: string;
}

const entrySchema = schema<AuditEntry & { readonly id: number }>()('AuditEntry', {
  id: integer(3),
  at: time(),
  who: text('admin', 'Name of the API key, or `user:` and a person; `local` when the server has no keys.'),
  what: text('pauseHost', 'operationId of the call.'),
  target: text('/api/v1/hosts/www.example.com/pause', 'Path and query of the call.'),
  crawler: text('docs', 'The crawler that the call names.').optional(),
  outcome: text('done', '`done`, or why it failed.'),
  before: text('{"paused":false}', 'State before the call, as JSON, if the call reports it.')
    .optional()
    .by(({ before }: AuditEntry) => before || undefined),
  after: text('{"paused":true}', 'State after the call, as JSON, if the call reports it.')
    .optional()
    .by(({ after }: AuditEntry) => after || undefined),
});

@Controller(`${API}/audit`)
export class AuditController {
  constructor(@Inject(AUDIT_LOG) private readonly log: AuditLog) {}

  @Get()
  @Operation({
    id: 'listAudit',
    summary: 'The audit log',
    description:
      'Every write through the API, newest first: who, what, when, and the state before and after. Repeated checks and previews by the same caller are recorded once a minute.',
    role: 'admin',
    crawlers: 'query',
  })
  @PageResponse(entrySchema)
  async list(@Query() query: AuditQuery): Promise<Page<Answer<typeof entrySchema>>> {
    const entries = await this.log.listEntries(parseNumberCursor(query.cursor), query.limit + 1, query.crawler);
    return mapPage(
      toPage(entries, query.limit, (entry) => entry.id),
      entrySchema.from,
    );
  }
}
