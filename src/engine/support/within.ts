import { after, type Duration } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';

export const TIME_IS_UP = Symbol('time is up');

/**
 * Returns the result of the work, or TIME_IS_UP after `limit`. The signal aborts when no one is waiting for the work
 * any longer.
 */
export async function withTimeLimit<T>(
  clock: Pick<Clock, 'now' | 'at'>,
  limit: Duration,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | typeof TIME_IS_UP> {
  const stop = new AbortController();
  let cancel: (() => void) | undefined;
  const late = new Promise<typeof TIME_IS_UP>((resolve) => {
    cancel = clock.at(after(clock.now(), limit), () => resolve(TIME_IS_UP));
  });
  try {
    return await Promise.race([work(stop.signal), late]);
  } finally {
    cancel?.();
    stop.abort();
  }
}
