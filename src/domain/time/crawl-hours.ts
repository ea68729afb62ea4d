/** What a schedule says at a given time, and when that may change. Pure functions: clocks and cron stay outside. */
import type { ScheduleDefinition, WindowDefinition } from '../crawl/schedule-definition.js';
import { type Duration, type Instant, milliseconds } from './units.js';

export interface CrawlHours {
  readonly crawls: boolean;
  /** Minimum pause between two requests to one web server. */
  readonly throttle: Duration;
  /** Absent if there is no limit. */
  readonly bytesPerSecond?: number;
}

interface LocalTime {
  /** 0 is Sunday. */
  readonly day: number;
  /** Minutes since midnight. */
  readonly minute: number;
}

const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MIDNIGHT = 24 * 60;

export function findCrawlHours(schedule: ScheduleDefinition, at: Instant): CrawlHours {
  const { windows, outside, bytesPerSecond: usual } = schedule;
  const now = windows.length === 0 ? undefined : toLocalTime(at, schedule.timeZone);
  const window = now && windows.find((one) => containsTime(one, now));
  const bytesPerSecond = window?.bytesPerSecond ?? usual;
  return {
    crawls: window?.crawl ?? (windows.length === 0 || outside === 'crawl'),
    throttle: window?.throttle ?? milliseconds(0),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
  };
}

/** Five-field cron expressions of the times at which a window may begin or end. */
export function listChangeTimes({ windows }: ScheduleDefinition): string[] {
  const minutes = new Set(windows.flatMap(({ from, to }) => [from % MIDNIGHT, to % MIDNIGHT]));
  return [...minutes].map((minute) => `${minute % 60} ${Math.floor(minute / 60)} * * *`);
}

export const findSchedule = (
  schedules: readonly ScheduleDefinition[],
  hostname: string,
): ScheduleDefinition | undefined =>
  schedules.find(({ hosts }) => hosts.length === 0 || hosts.some((host) => isSameOrSubdomain(hostname, host)));

const isSameOrSubdomain = (hostname: string, host: string): boolean =>
  hostname === host || hostname.endsWith(`.${host}`);

function containsTime({ days, from, to }: WindowDefinition, { day, minute }: LocalTime): boolean {
  if (from < to) return days.includes(day) && minute >= from && minute < to;
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= from) || (days.includes(yesterday) && minute < to);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function toLocalTime(at: Instant, timeZone: string): LocalTime {
  let format = formats.get(timeZone);
  if (!format) {
    const fields = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...fields });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: DAY_NAMES.indexOf(parts['weekday'] ?? ''),
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}
