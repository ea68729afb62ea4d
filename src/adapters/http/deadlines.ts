/**
 * Time limits of many exchanges with one coarse timer. A timer per limit would be set and cleared several times for every
 * request; here a limit is a number in a field, looked at a few dozen times a second.
 */
export interface Timed {
  /** On the scale of `performance.now()`; may move while the object is watched. */
  readonly deadline: number;
  /** Called once, at or shortly after the deadline. */
  expire(): void;
}

/** Milliseconds that a deadline may be overrun. */
const RESOLUTION = 20;

export class Deadlines {
  private readonly watched = new Set<Timed>();
  private timer: NodeJS.Timeout | undefined;

  watch(timed: Timed): void {
    this.watched.add(timed);
    // After a long computation timers run before sockets are read. What the sockets hold must count first, or a busy
    // thread would take its own delay for that of a site.
    this.timer ??= setInterval(() => setImmediate(() => this.check()), RESOLUTION);
  }

  unwatch(timed: Timed): void {
    this.watched.delete(timed);
  }

  private check(): void {
    const now = performance.now();
    for (const timed of this.watched) {
      if (timed.deadline > now) continue;
      this.watched.delete(timed);
      timed.expire();
    }
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
