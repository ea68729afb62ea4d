import type { Duration, Instant } from '../../domain/time/units.js';

/** The only source of time and timers in the engine; a test or a simulation provides its own. */
export interface Clock {
  now(): Instant;
  /** Calls `action` once, not before `at`. Returns a function that cancels it. */
  at(at: Instant, action: () => void): () => void;
  /** Resolves after `wait`, or as soon as the signal aborts. */
  sleep(wait: Duration, signal?: AbortSignal): Promise<void>;
}

/** The next time of a cron expression after the given time; undefined if there is none. */
export type CronSchedule = (cron: string, timeZone: string, from: Instant) => Instant | undefined;
