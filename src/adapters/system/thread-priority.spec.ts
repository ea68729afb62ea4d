import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { describeUnless, notLinux } from '../../../test/support/left-out.js';
import { capPriority } from './thread-priority.js';

describeUnless(notLinux, 'the priority of a thread', () => {
  it('falls for the thread that gives way, and for no other', async () => {
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

  it('is taken back from a process that has more than it may have', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000); console.log("started")']);
    await once(other.stdout, 'data');
    const allowed = getPriority() + 2;
    capPriority(other.pid!, allowed);
    const threads = readdirSync(`/proc/${other.pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(1);
    expect(threads.map((thread) => getPriority(thread))).toEqual(threads.map(() => allowed));
    capPriority(other.pid!, allowed - 1);
    expect(getPriority(other.pid)).toBe(allowed);
    other.kill();
    await once(other, 'exit');
    capPriority(other.pid!, allowed);
  });
});
