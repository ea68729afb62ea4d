import { after, type Instant, milliseconds } from '../../src/domain/time/units.js';
import type { Clock } from '../../src/engine/ports/clock.js';
import { StoreUnavailable } from '../../src/engine/ports/frontier-store.js';

/** A statement that gets no answer for so long counts as lost. */
const PATIENCE = milliseconds(30_000);

export interface Cut {
  /** Statements wait for the network and are carried out when it is whole again, even if nobody waits any more; else they fail at once. */
  readonly hangs: boolean;
  /** So many statements still reach the database; only their answers are lost. */
  readonly carriedOut: number;
}

/** The network between one node and the database. */
export class DatabaseLink {
  private cutBy: Cut | undefined;
  private carriedOut = 0;
  private hanging: (() => void)[] = [];
  private healedAt: Instant | undefined;

  constructor(private readonly clock: Clock) {}

  get isCut(): boolean {
    return this.cutBy !== undefined;
  }

  cut(cut: Cut): void {
    this.cutBy = cut;
    this.carriedOut = cut.carriedOut;
  }

  heal(): void {
    if (!this.cutBy) return;
    this.cutBy = undefined;
    this.healedAt = this.clock.now();
    for (const resume of this.hanging.splice(0)) resume();
  }

  /** Cut, or so shortly ago that what it has done may still be told. */
  isTroubled(within: number): boolean {
    return this.isCut || (this.healedAt !== undefined && this.clock.now() - this.healedAt < within);
  }

  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => this.through(() => Reflect.apply(value, object, args) as unknown);
      },
    });
  }

  private through(call: () => unknown): unknown {
    if (!this.cutBy) return call();
    const lost = new StoreUnavailable('the database cannot be reached');
    if (this.carriedOut-- > 0)
      return Promise.resolve(call()).then(
        () => Promise.reject(lost),
        () => Promise.reject(lost),
      );
    if (!this.cutBy.hangs) return Promise.reject(lost);
    return new Promise((resolve, reject) => {
      const cancel = this.clock.at(after(this.clock.now(), PATIENCE), () => reject(lost));
      this.hanging.push(() => {
        cancel();
        Promise.resolve(call()).then(resolve, reject);
      });
    });
  }
}
