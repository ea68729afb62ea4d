import { type Duration, type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';

/** Node stores delays in 32 bits; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Times in milliseconds: `wall` counts from 1970 and can be set by a person or a time server; `elapsed` counts from an
 * arbitrary moment and only increases.
 */
export interface TimeSources {
  wall(): number;
  elapsed(): number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * The time of this machine, except that it never goes back. If the machine's clock is set back, this clock continues
 * from where it was, at its usual pace: otherwise the next times for politeness, retries and visits would be far in the
 * future. If the machine's clock is set forward, or the machine was asleep, this clock follows.
 */
export class SystemClock implements Clock {
  private ahead: number;

  constructor(private readonly sources: TimeSources = MACHINE) {
    this.ahead = sources.wall() - sources.elapsed();
  }

  now(): Instant {
    const wall = this.sources.wall();
    const elapsed = this.sources.elapsed();
    this.ahead = Math.max(this.ahead, wall - elapsed);
    return instant(Math.floor(elapsed + this.ahead));
  }

  at(at: Instant, action: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = at - this.now();
      timer = left > LONGEST_TIMER_MS ? setTimeout(wait, LONGEST_TIMER_MS) : setTimeout(action, Math.max(0, left));
    };
    wait();
    return () => clearTimeout(timer);
  }

  sleep(wait: Duration, signal?: AbortSignal): Promise<void> {
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
      const cancel = this.at(instant(this.now() + wait), wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
