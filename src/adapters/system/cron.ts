import { Cron } from 'croner';
import { type Instant, instant } from '../../domain/time/units.js';

/** The next time of a five-field cron expression in a time zone, after the moment given; undefined when there is none. */
export function nextCronTime(cron: string, timeZone: string, from: Instant): Instant | undefined {
  const next = new Cron(cron, { timezone: timeZone, paused: true }).nextRun(new Date(from));
  return next === null ? undefined : instant(next.getTime());
}
