import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { REASONS } from '../../domain/policy/reasons.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API } from '../tokens.js';

const CODES = [...Object.keys(REASONS), ...Object.keys(ERROR_CODES)];

class ReasonDto {
  @ApiProperty({ enum: CODES, description: 'Stable code, used by the store, the API, the metrics and the console.' })
  code!: string;

  @ApiProperty({
    enum: ['reason', 'error'],
    description: 'A reason explains a verdict; an error says how a visit failed.',
  })
  kind!: 'reason' | 'error';

  @ApiProperty({ required: false, description: 'For a reason: the layer or part that emits it.' })
  layer?: string;

  @ApiProperty({ required: false, enum: ['permanent', 'temporary'], description: 'For an error: the default class.' })
  class?: 'permanent' | 'temporary';

  @ApiProperty()
  meaning!: string;

  @ApiProperty({ description: 'What to change if this is not what you want.' })
  remedy!: string;
}

const ALL_REASONS: readonly ReasonDto[] = [
  ...Object.entries(REASONS).map(([code, entry]): ReasonDto => ({ code, kind: 'reason', ...entry })),
  ...Object.entries(ERROR_CODES).map(
    ([code, { class: kind, meaning, remedy }]): ReasonDto => ({ code, kind: 'error', class: kind, meaning, remedy }),
  ),
];

@ApiTags('Policy')
@Controller(`${API}/reasons`)
export class ReasonsController {
  @Get()
  @Operation({
    id: 'listReasons',
    summary: 'All reason and error codes',
    description: 'What each code means and what to do about it.',
    role: 'read',
  })
  @PageResponse(ReasonDto)
  list(): Page<ReasonDto> {
    return { items: ALL_REASONS, next: null };
  }
}
