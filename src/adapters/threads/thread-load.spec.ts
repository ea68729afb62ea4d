import { describe, expect, it } from 'vitest';
import { choosePageThreadLimits, ThreadDemand } from './thread-load.js';

it.each([
  [1, { threads: 1, maxThreads: 1 }],
  [2, { threads: 1, maxThreads: 2 }],
  [4, { threads: 3, maxThreads: 4 }],
  [8, { threads: 7, maxThreads: 8 }],
  [32, { threads: 8, maxThreads: 8 }],
])('page threads for %i cores', (cores, limits) => {
  expect(choosePageThreadLimits(cores)).toEqual(limits);
});

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
