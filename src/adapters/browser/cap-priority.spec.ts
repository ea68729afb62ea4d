import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { describeUnless, notLinux } from '../../../test/support/left-out.js';
import { capPriority } from './cap-priority.js';

describeUnless(notLinux, 'the priority of another process', () => {
  it('is lowered where it is higher than allowed', async () => {
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
