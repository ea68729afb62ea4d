import { after, type Duration } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';

export const TIMED_OUT = Symbol('time is up');

/**
 * Returns the result of the work, or a symbol if it takes longer than `limit`. The signal aborts when the result is no
 * longer needed.
 */
export async function withTimeLimit<T>(
  clock: Pick<Clock, 'now' | 'at'>,
  limit: Duration,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | typeof TIMED_OUT> {
  const controller = new AbortController();
  let cancel: (() => void) | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = clock.at(after(clock.now(), limit), () => resolve(TIMED_OUT));
  });
  try {
    return await Promise.race([work(controller.signal), timeout]);
  } finally {
    cancel?.();
    controller.abort();
  }
}
