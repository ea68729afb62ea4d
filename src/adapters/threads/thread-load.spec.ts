import { describe, expect, it } from 'vitest';
import { ThreadDemand } from './thread-load.js';

describe('one more page thread is wanted', () => {
  const wanted = (shares: readonly [main: number, ...threads: number[]][]): boolean[] => {
    const demand = new ThreadDemand();
    return shares.map(([main, ...threads]) => demand.checkDemand(main, threads));
  };

  it('when all are busy and the main thread is not, three times in a row', () => {
    expect(wanted(Array.from({ length: 6 }, () => [0.2, 1, 0.97]))).toEqual([false, false, true, false, false, true]);
  });

  it('not after an interruption: the main thread was busy, or a thread was idle', () => {
    const all = [0.2, 1, 1] as const;
    expect(wanted([[...all], [...all], [0.5, 1, 1], [...all], [...all]])).not.toContain(true);
    expect(wanted([[...all], [...all], [0.2, 1, 0.9], [...all], [...all]])).not.toContain(true);
  });
});
