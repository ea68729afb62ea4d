import { ApiProperty } from '@nestjs/swagger';
import { type Instant, instant } from '../../domain/time/units.js';
import { IfGiven, IsTimestamp } from './fields.js';

export class PauseQuery {
  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'When the pause ends by itself, also after a restart. Absent: when somebody ends it.',
    example: '2026-03-09T08:00:00Z',
  })
  @IfGiven()
  @IsTimestamp()
  until?: string;
}

export const parseUntil = ({ until }: PauseQuery): Instant | undefined =>
  until === undefined ? undefined : instant(Date.parse(until));

export const PAST_PROBLEM = { 422: 'The end of the pause is in the past.' };
