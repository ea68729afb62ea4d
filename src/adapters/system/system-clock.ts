import { type Duration, type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';

/** Node stores delays in 32 bits; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Of a clock that is followed every few seconds: more than the clocks of machines drift, and too little to be noticed. */
const MAX_SLEW_MS = 1;

/**
 * Times in milliseconds: `wall` counts from 1970 and can be set by an administrator or a time server; `elapsed` counts
 * from an arbitrary moment and only increases.
 */
export interface TimeSources {
  wall(): number;
  elapsed(): number;
}

const MACHINE_TIME: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * The time of this machine, except that it never goes back. If the machine's clock is set back, this clock continues
 * from where it was, at its usual pace: otherwise the next times for politeness, retries and visits would be far in the
 * future. If the machine's clock is set forward, or the machine was asleep, this clock follows.
 */
export class SystemClock implements Clock {
  private offset: number;
  /** When the system time was read last. */
  private readAt = Number.NEGATIVE_INFINITY;
  private latest = Number.NEGATIVE_INFINITY;
  private follows = false;

  constructor(private readonly sources: TimeSources = MACHINE_TIME) {
    this.offset = sources.wall() - sources.elapsed();
  }

  now(): Instant {
    const elapsed = this.sources.elapsed();
    // A visit asks fifty times, and the system time counts whole milliseconds.
    if (!this.follows && elapsed - this.readAt >= 1) {
      this.readAt = elapsed;
      this.offset = Math.max(this.offset, this.sources.wall() - elapsed);
    }
    this.latest = Math.max(this.latest, Math.floor(elapsed + this.offset));
    return instant(this.latest);
  }

  /**
   * From now on, follows another clock, which showed `time` a moment ago, instead of that of this machine: servers that
   * read each other's times in a database need one clock. The first call may set this clock back.
   */
  follow(time: number): void {
    const offset = time - this.sources.elapsed();
    // What took long to arrive looks like a clock that is behind, so the clock goes back no faster than it may drift.
    this.offset = this.follows ? Math.max(offset, this.offset - MAX_SLEW_MS) : offset;
    if (!this.follows) this.latest = Number.NEGATIVE_INFINITY;
    this.follows = true;
  }

  at(time: Instant, action: () => void): () => void {
    let timer: NodeJS.Timeout;
    const startTimer = (): void => {
      const remaining = time - this.now();
      timer =
        remaining > MAX_TIMER_MS ? setTimeout(startTimer, MAX_TIMER_MS) : setTimeout(action, Math.max(0, remaining));
    };
    startTimer();
    return () => clearTimeout(timer);
  }

  sleep(duration: Duration, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.at(instant(this.now() + duration), wake);
      signal?.addEventListener('abort', wake);
    });
  }
}

/** From this many seconds on, a clock is not merely imprecise. */
const WRONG_BY_S = 10;

/** Servers that share a database take the time from it, because they read the times that others have stored. */
export function createTimeFollower(clock: SystemClock, log: Log): (time: number) => void {
  let told = false;
  return (time) => {
    clock.follow(time);
    const ahead = Math.round((Date.now() - time) / 1_000);
    if (told || Math.abs(ahead) < WRONG_BY_S) return;
    told = true;
    log.warn('the clock of this machine differs from that of the database, which is used; synchronize both (NTP)', {
      secondsAhead: ahead,
    });
  };
}
