import { Cron } from 'croner';
import { type Instant, instant } from '../../domain/time/units.js';

/**
 * Finds the next time after `from` that matches a five-field cron expression in an IANA time zone; undefined if there
 * is none.
 */
export function findNextCronTime(expression: string, timeZone: string, from: Instant): Instant | undefined {
  const next = new Cron(expression, { timezone: timeZone, paused: true }).nextRun(new Date(from));
  return next ? instant(next.getTime()) : undefined;
}
