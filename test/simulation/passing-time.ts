import { after, type Duration } from '../../src/domain/time/units.js';
import type { ManualClock } from '../support/manual-clock.js';

/** Everything in a world happens in microtasks, so one turn of the event loop ends it. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass in a world, timer by timer. */
export async function pass(clock: ManualClock, time: Duration): Promise<void> {
  const end = after(clock.now(), time);
  for (let next = clock.nextTimer; next !== undefined && next <= end; next = clock.nextTimer) {
    clock.advanceTo(next);
    await settle();
  }
  clock.advanceTo(end);
  await settle();
}
