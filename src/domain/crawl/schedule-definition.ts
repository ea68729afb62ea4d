/** The part of a crawler's definition that determines when and how fast hosts are crawled (`cw:Schedule`). */
import { type Duration } from '../time/units.js';

/** The schedule for some host names and their subdomains, or for all hosts. */
export interface ScheduleDefinition {
  /** In lower case, without port; an empty list means all hosts. */
  readonly hosts: readonly string[];
  /** IANA time zone. */
  readonly timeZone: string;
  /** What hosts do outside all windows. */
  readonly outside: 'rest' | 'crawl';
  /** The first window that contains the time decides; if the list is empty, hosts are crawled at all times. */
  readonly windows: readonly WindowDefinition[];
  /** Limit for all hosts of the schedule together, in the long run; absent if there is none. */
  readonly bytesPerSecond?: number;
}

export interface WindowDefinition {
  /** Days of the week on which it begins; 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes since midnight. A window that ends before it begins ends on the next day. */
  readonly from: number;
  readonly to: number;
  readonly crawl: boolean;
  /** Minimum pause between two requests to one web server; default: as configured elsewhere. */
  readonly throttle?: Duration;
  /** Replaces the limit of the schedule. */
  readonly bytesPerSecond?: number;
}
