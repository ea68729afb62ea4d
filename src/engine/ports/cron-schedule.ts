import type { Instant } from '../../domain/time/units.js';

/** Next time of a cron expression after the given time; undefined when there is none. */
export type CronSchedule = (cron: string, timeZone: string, from: Instant) => Instant | undefined;
