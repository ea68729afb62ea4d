/**
 * Enforces the time limits of many exchanges with one coarse timer. A timer for each limit would be set and cleared
 * several times per request; here, a limit is a number in a field, checked a few dozen times a second.
 */
export interface TimedTask {
  /** On the scale of `performance.now()`; may be changed while the object is watched. */
  readonly deadline: number;
  /** Whether it has to end before the deadline, because the server sends far more than a response. */
  readonly isFlooded: boolean;
  /** Index in the list of watched objects; used only by Deadlines. */
  slot: number;
  /** Called once, at or shortly after the deadline, or when it is flooded. */
  expire(): void;
}

/** Milliseconds by which a deadline may be overrun. */
const RESOLUTION_MS = 20;

export class Deadlines<T extends TimedTask> {
  /**
   * An array and not a Set: a Set of short-lived objects leaves a chain of outgrown tables behind, each of which keeps
   * dead exchanges alive until the next full garbage collection (measured: 15 % of the time of a fetch).
   */
  private readonly watchedTasks: T[] = [];
  private timer: NodeJS.Timeout | undefined;

  watch(task: T): void {
    task.slot = this.watchedTasks.push(task) - 1;
    // After a long computation, timers run before sockets are read. What has arrived on the sockets must be read first,
    // or a busy thread would blame its own delay on a site.
    this.timer ??= setInterval(() => setImmediate(() => this.expireDue()), RESOLUTION_MS);
  }

  unwatch(task: T): void {
    if (this.watchedTasks[task.slot] !== task) return;
    const last = this.watchedTasks.pop()!;
    if (last === task) return;
    this.watchedTasks[task.slot] = last;
    last.slot = task.slot;
  }

  listWatched(): T[] {
    return [...this.watchedTasks];
  }

  private expireDue(): void {
    const now = performance.now();
    for (const task of this.watchedTasks.filter((task) => task.deadline <= now || task.isFlooded)) {
      this.unwatch(task);
      task.expire();
    }
    if (this.watchedTasks.length === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}
