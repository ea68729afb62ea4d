import { type Duration, type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';

/** Node stores delays in 32 bits; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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

  constructor(private readonly sources: TimeSources = MACHINE_TIME) {
    this.offset = sources.wall() - sources.elapsed();
  }

  now(): Instant {
    const elapsed = this.sources.elapsed();
    // A visit asks fifty times, and the system time counts whole milliseconds.
    if (elapsed - this.readAt >= 1) {
      this.readAt = elapsed;
      this.offset = Math.max(this.offset, this.sources.wall() - elapsed);
    }
    return instant(Math.floor(elapsed + this.offset));
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
