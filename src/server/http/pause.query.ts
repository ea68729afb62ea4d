import { type Instant, instant } from '../../domain/time/units.js';
import { IsTimestamp } from './fields.js';

export class PauseQuery {
  @IsTimestamp({
    required: false,
    description: 'When the pause ends by itself, also after a restart. Absent: when somebody ends it.',
    example: '2026-03-09T08:00:00Z',
  })
  until?: string;
}

export const parseUntil = ({ until }: PauseQuery): Instant | undefined =>
  until === undefined ? undefined : instant(Date.parse(until));

export const PAST_PROBLEM = { 422: 'The end of the pause is in the past.' };
