import { type Duration, type Instant, instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';

/** Node keeps timers in 32 bits; a longer wait would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time of this machine. */
export class SystemClock implements Clock {
  now(): Instant {
    return instant(Date.now());
  }

  at(at: Instant, action: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = at - Date.now();
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
      const cancel = this.at(instant(Date.now() + wait), wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
