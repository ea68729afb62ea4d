/** The part of a crawler's definition that says when and how fast hosts are crawled (`cw:Schedule`). */
import { type Duration } from '../time/units.js';

/** What applies to a host name and the names below it. */
export interface ScheduleDefinition {
  /** Lower case, without port; empty: all hosts. */
  readonly hosts: readonly string[];
  /** IANA. */
  readonly timeZone: string;
  /** What applies outside all windows. */
  readonly outside: 'rest' | 'crawl';
  /** The first window that contains the time decides; if there are none: always as configured. */
  readonly windows: readonly WindowDefinition[];
  /** For all hosts of the schedule together, in the long run; absent: no limit. */
  readonly bytesPerSecond?: number;
}

export interface WindowDefinition {
  /** Days of the week on which it begins, 0 Sunday. */
  readonly days: readonly number[];
  /** Minutes of the day. A window that ends before it begins ends on the next day. */
  readonly from: number;
  readonly to: number;
  readonly crawl: boolean;
  /** The shortest pause between two requests to one web server; absent: as configured elsewhere. */
  readonly throttle?: Duration;
  /** Replaces that of the schedule. */
  readonly bytesPerSecond?: number;
}
