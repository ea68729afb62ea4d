import type { Clock } from '../../src/engine/ports/clock.js';

/**
 * Stands between a process and the world. When it blows, the process is dead in the middle of whatever it was doing:
 * nothing it still tries reaches the world, and no answer reaches it.
 */
export class Fuse {
  private blown = false;
  private remaining = Number.POSITIVE_INFINITY;

  get isBlown(): boolean {
    return this.blown;
  }

  /** Blows at the n-th call from now, before or after the call has had its effect. */
  blowAfter(calls: number): void {
    this.remaining = calls;
  }

  blow(): void {
    this.blown = true;
  }

  /** The same object, reached through the fuse. Only functions that give promises are guarded against late answers. */
  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => this.through(() => Reflect.apply(value, object, args) as unknown);
      },
    });
  }

  /** Timers of a dead process do not run. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      at: (at, action) =>
        clock.at(at, () => {
          if (!this.blown) action();
        }),
      sleep: (wait, signal) => clock.sleep(wait, signal),
    };
  }

  private through(call: () => unknown): unknown {
    if (this.blown) return never();
    if (--this.remaining <= 0) {
      this.blown = true;
      return never();
    }
    const result = call();
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      result.then(
        (value) => {
          if (!this.blown) resolve(value);
        },
        (error: unknown) => {
          if (!this.blown) reject(error);
        },
      );
    });
  }
}

/** One for each call: what waits for it can be forgotten with its world. */
const never = (): Promise<never> => new Promise(() => undefined);
