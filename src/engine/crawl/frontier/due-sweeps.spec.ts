import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { minutes } from '../../../domain/time/units.js';
import { DueSweeps } from './due-sweeps.js';

it('due URLs are looked for every five minutes, also after a failure, until the end, even if it comes during a sweep', async () => {
  const clock = new ManualClock();
  let sweeps = 0;
  let failures = 0;
  const held = Promise.withResolvers<void>();
  const frontier = {
    sweep: async () => {
      sweeps++;
      if (sweeps === 2) throw new Error('the store is down');
      if (sweeps === 4) await held.promise;
    },
  };
  const log = { error: () => void failures++ };
  const due = new DueSweeps('docs', frontier, { clock, log } as never);
  await due.start();
  expect([sweeps, due.isFrontierFilled]).toEqual([1, true]);
  await clock.pass(minutes(15));
  expect([sweeps, failures]).toEqual([4, 1]);
  due.close();
  held.resolve();
  await clock.pass(minutes(1));
  await clock.pass(minutes(60));
  expect(sweeps).toBe(4);
});
