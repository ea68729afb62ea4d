import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import { mapPage, type Page, PageQuery, parseNumberCursor, toPage } from '../http/paging.js';
import { toIsoTime } from '../http/time.js';
import { API, AUDIT_LOG } from '../tokens.js';
import type { AuditEntry, AuditLog } from './audit-log.js';

class AuditEntryDto {
  @ApiProperty({ type: 'integer' })
  id!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ description: 'Name of the API key; `local` when the server has no keys.' })
  who!: string;

  @ApiProperty({ description: 'operationId of the call.' })
  what!: string;

  @ApiProperty({ description: 'Path and query of the call.' })
  target!: string;

  @ApiProperty({ description: '`done`, or why it failed.', example: 'done' })
  outcome!: string;

  @ApiProperty({ required: false, description: 'State before the call, as JSON, if the call reports it.' })
  before?: string;

  @ApiProperty({ required: false, description: 'State after the call, as JSON, if the call reports it.' })
  after?: string;
}

const toAuditEntryDto = ({ at, before, after, ...entry }: AuditEntry & { readonly id: number }): AuditEntryDto => ({
  ...entry,
  at: toIsoTime(at),
  before: before || undefined,
  after: after || undefined,
});

@ApiTags('Audit')
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
  })
  @PageResponse(AuditEntryDto)
  async list(@Query() query: PageQuery): Promise<Page<AuditEntryDto>> {
    const entries = await this.log.listEntries(parseNumberCursor(query.cursor), query.limit + 1);
    return mapPage(
      toPage(entries, query.limit, (entry) => entry.id),
      toAuditEntryDto,
    );
  }
}
