import type { Instant } from '../../domain/time/units.js';

/** The next time of a cron expression after the given time; undefined if there is none. */
export type CronSchedule = (cron: string, timeZone: string, from: Instant) => Instant | undefined;
