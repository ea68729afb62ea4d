import type { Clock } from '../../src/engine/ports/clock.js';

/**
 * Stands between a process and the world. Frozen, the process does nothing and hears nothing until it is thawed, and then
 * everything at once; dead, it never does again. What it had asked of the world goes on without it.
 */
export class Gate {
  private state: 'open' | 'frozen' | 'dead' = 'open';
  private waiting: (() => void)[] = [];

  get isDead(): boolean {
    return this.state === 'dead';
  }

  get isFrozen(): boolean {
    return this.state === 'frozen';
  }

  freeze(): void {
    if (this.state === 'open') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'open';
    for (const action of this.waiting.splice(0)) action();
  }

  kill(): void {
    this.state = 'dead';
    this.waiting = [];
  }

  run(action: () => void): void {
    if (this.state === 'open') action();
    else if (this.state === 'frozen') this.waiting.push(action);
  }

  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (this.isDead) return new Promise(() => undefined);
          const result: unknown = Reflect.apply(value, object, args);
          if (!(result instanceof Promise)) return result;
          return new Promise((resolve, reject) => {
            result.then(
              (answer) => this.run(() => resolve(answer)),
              (error: unknown) => this.run(() => reject(error)),
            );
          });
        };
      },
    });
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      at: (at, action) => clock.at(at, () => this.run(action)),
      sleep: (wait, signal) =>
        new Promise((resolve) => {
          void clock.sleep(wait, signal).then(() => this.run(resolve));
        }),
    };
  }
}
