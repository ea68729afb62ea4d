import { seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import { StoreUnavailable } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';

const RETRY_DELAY = seconds(5);

/** Does the work, repeating it as long as the store is unavailable. Ends early if the signal aborts. */
export async function retryUntilDone(
  name: string,
  work: () => Promise<void>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      log.warn(`${name} has to wait because the store is unavailable; trying again`, { error: error.message });
    }
    await clock.sleep(RETRY_DELAY, signal);
  }
}
