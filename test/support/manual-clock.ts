import { TimeHeap } from '../../src/domain/frontier/time-heap.js';
import { after, type Duration, type Instant, instant } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';

/** A clock that only advances when a test says so. Timers run in the order of their times. */
export class ManualClock implements Clock {
  private readonly timers = new TimeHeap<{ action: (() => void) | undefined }>();

  constructor(private current: Instant = instant(Date.UTC(2026, 0, 1))) {}

  now(): Instant {
    return this.current;
  }

  at(at: Instant, action: () => void): () => void {
    const timer: { action: (() => void) | undefined } = { action };
    this.timers.push(at, timer);
    return () => {
      timer.action = undefined;
    };
  }

  sleep(wait: Duration, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      // A signal that outlives many sleeps would collect their listeners, and each new one is compared with all.
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.at(after(this.current, wait), end);
      signal?.addEventListener('abort', end);
    });
  }

  /** When the next timer is due; undefined if there is none. */
  get nextTimer(): Instant | undefined {
    return this.timers.peekTime();
  }

  advance(by: Duration): void {
    this.advanceTo(after(this.current, by));
  }

  /** Lets time pass timer by timer, and lets the work that each one started continue. */
  async pass(time: Duration): Promise<void> {
    const end = after(this.current, time);
    for (let next = this.nextTimer; next !== undefined && next <= end; next = this.nextTimer) {
      this.advanceTo(next);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.advanceTo(end);
    await new Promise((resolve) => setImmediate(resolve));
  }

  advanceTo(time: Instant): void {
    for (let at = this.timers.peekTime(); at !== undefined && at <= time; at = this.timers.peekTime()) {
      if (at > this.current) this.current = at;
      this.timers.popDue(at)?.action?.();
    }
    if (time > this.current) this.current = time;
  }
}
