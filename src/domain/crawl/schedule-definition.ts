/** The part of a crawler's definition that says when and how fast hosts are crawled (`cw:Schedule`). */
import { type Duration } from '../time/units.js';

/** What counts for a host name, or a name below it. */
export interface ScheduleDefinition {
  /** Lower case, without port; empty: all hosts. */
  readonly hosts: readonly string[];
  /** IANA. */
  readonly timeZone: string;
  /** What holds at times of no window. */
  readonly outside: 'rest' | 'crawl';
  /** The first that has a moment decides; none at all: always as configured. */
  readonly windows: readonly WindowDefinition[];
  /** Of all hosts of the schedule together, in the long run; absent: no limit. */
  readonly bytesPerSecond?: number;
}

export interface WindowDefinition {
  /** Days of the week on which it begins, 0 Sunday. */
  readonly days: readonly number[];
  /** Minutes of the day. A window that ends before it begins ends on the next day. */
  readonly from: number;
  readonly to: number;
  readonly crawl: boolean;
  /** The least pause between two requests to one web server; absent: as configured elsewhere. */
  readonly throttle?: Duration;
  /** As of the schedule, which it replaces. */
  readonly bytesPerSecond?: number;
}
