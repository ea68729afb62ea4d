import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { hours } from '../../domain/time/units.js';
import { Deadlines, type TimedTask } from './deadlines.js';

/** Longer than the interval at which deadlines are checked. */
const BLOCKED_MS = 60;

/** Both ends of a connection on which a write has arrived when it returns; over TCP, that may take a moment. */
async function connected(): Promise<{ near: Socket; far: Socket }> {
  const path = join(temporaryDirectory(), 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const [near, [far]] = await Promise.all([connect(path), once(server, 'connection') as Promise<[Socket]>]);
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

/** Blocks this thread until a check is due, and puts the clock forward. */
function beBusyForHours(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + hours(2));
  onTestFinished(() => void spy.mockRestore());
}

it('what arrived while this thread was busy is read before a deadline that has passed meanwhile counts', async () => {
  const { near, far } = await connected();
  const deadlines = new Deadlines<TimedTask>();
  const ends = (name: string): { task: TimedTask; ended: Promise<string> } => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const task = { deadline: performance.now() + hours(1), isFlooded: false, slot: 0, expire: () => resolve(name) };
    return { task, ended: promise };
  };
  const answered = ends('expired');
  const silent = ends('expired');
  for (const { task } of [answered, silent]) deadlines.watch(task);
  const read = once(near, 'data').then(() => {
    deadlines.unwatch(answered.task);
    return 'read';
  });
  await new Promise((resolve) => setImmediate(resolve));
  far.write('here');
  beBusyForHours();
  expect(await Promise.race([answered.ended, read])).toBe('read');
  expect(await silent.ended).toBe('expired');
  expect(deadlines.listWatched()).toEqual([]);
});
