import { Cron } from 'croner';
import { type Instant, instant } from '../../domain/time/units.js';

/** Next time of a five-field cron expression after the given time, in an IANA time zone; undefined if it never comes. */
export function nextCronTime(expression: string, timeZone: string, from: Instant): Instant | undefined {
  const next = new Cron(expression, { timezone: timeZone, paused: true }).nextRun(new Date(from));
  return next ? instant(next.getTime()) : undefined;
}
