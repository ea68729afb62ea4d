/**
 * Enforces the time limits of many exchanges with one coarse timer. A timer for each limit would be set and cleared
 * several times per request; here, a limit is a number in a field, checked a few dozen times a second.
 */
export interface Timed {
  /** On the scale of `performance.now()`; may be changed while the object is watched. */
  readonly deadline: number;
  /** Index in the list of watched objects; used only by Deadlines. */
  slot: number;
  /** Called once, at or shortly after the deadline. */
  expire(): void;
}

/** Milliseconds by which a deadline may be overrun. */
const RESOLUTION = 20;

export class Deadlines<T extends Timed> {
  /**
   * An array and not a Set: a Set of short-lived objects leaves a chain of outgrown tables behind, each of which keeps
   * dead exchanges alive until the next full garbage collection (measured: 15 % of the time of a fetch).
   */
  private readonly watched: T[] = [];
  private timer: NodeJS.Timeout | undefined;

  watch(timed: T): void {
    timed.slot = this.watched.push(timed) - 1;
    // After a long computation, timers run before sockets are read. What has arrived on the sockets must be read first,
    // or a busy thread would blame its own delay on a site.
    this.timer ??= setInterval(() => setImmediate(() => this.expireDue()), RESOLUTION);
  }

  unwatch(timed: T): void {
    if (this.watched[timed.slot] !== timed) return;
    const last = this.watched.pop()!;
    if (last === timed) return;
    this.watched[timed.slot] = last;
    last.slot = timed.slot;
  }

  list(): T[] {
    return [...this.watched];
  }

  private expireDue(): void {
    const now = performance.now();
    for (const timed of this.watched.filter(({ deadline }) => deadline <= now)) {
      this.unwatch(timed);
      timed.expire();
    }
    if (this.watched.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
