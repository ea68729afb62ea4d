import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { describeUnless, notLinux } from '../../../test/support/left-out.js';

describeUnless(notLinux, 'the priority of a thread', () => {
  it('falls for the thread that asks for it, and for no other', async () => {
    const before = getPriority();
    const file = new URL('./thread-priority.ts', import.meta.url).href;
    const worker = new Worker(
      `const { getPriority } = require('node:os');
       import(${JSON.stringify(file)}).then(({ lowerPriority }) => {
         lowerPriority(3);
         require('node:worker_threads').parentPort.postMessage(getPriority(0));
       });`,
      { eval: true },
    );
    expect(await once(worker, 'message')).toEqual([before + 3]);
    expect(getPriority()).toBe(before);
    await worker.terminate();
  });
});
