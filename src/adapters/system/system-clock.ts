import { type Duration, type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';

/** Node keeps timers in 32 bits; a longer wait would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds: `wall` since 1970, which a person or a time server can set; `elapsed` since any moment, which only grows. */
export interface TimeSources {
  wall(): number;
  elapsed(): number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * The time of this machine, but never going back. If somebody sets it back, this clock continues from where it was at its usual
 * pace: politeness, retries and due times, which are future times, would otherwise be far in the future. If it is set forward, or
 * the machine was asleep, this clock follows.
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
