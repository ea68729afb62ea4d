import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { describeUnless, notLinux } from '../../../test/support/left-out.js';

describeUnless(notLinux, 'the priority of a thread', () => {
  it('falls for the thread that asks for it, and for no other', async () => {
    const before = getPriority();
    const file = new URL('./thread-settings.ts', import.meta.url).href;
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

/** Keeps what it allocates for a while, so that new space grows, and reports its largest size and the limit of the heap, in MB. */
const THREAD = `
  import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
  import { parentPort } from 'node:worker_threads';
  let largest = 0;
  let kept = [];
  for (let i = 0; i < 2_000_000; i++) {
    kept.push({ i });
    if (kept.length === 100_000) kept = [];
    if (i % 10_000 === 0) {
      const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      largest = Math.max(largest, space_size);
    }
  }
  parentPort.postMessage([largest, getHeapStatistics().heap_size_limit].map((size) => size / 2 ** 20));
`;

const START = `
  import { Worker } from 'node:worker_threads';
  import { enforceThreadHeapLimits } from ${JSON.stringify(new URL('thread-settings.ts', import.meta.url).href)};
  const thread = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)}));
  enforceThreadHeapLimits();
  const resourceLimits = { maxYoungGenerationSizeMb: Number(process.argv[1]), maxOldGenerationSizeMb: 100 };
  new Worker(thread, { resourceLimits }).on('message', (sizes) => console.log(JSON.stringify(sizes)));
`;

async function measureHeap(young: number): Promise<{ newSpace: number; limit: number }> {
  const flags = ['--max-semi-space-size=2', '--max-old-space-size=900'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    ...['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', START, String(young)],
  ]);
  const [newSpace, limit] = JSON.parse(stdout) as [number, number];
  return { newSpace, limit };
}

it('a thread has the heap that it is given, whatever the flags of the main thread', async () => {
  const [small, large] = await Promise.all([measureHeap(6), measureHeap(48)]);
  expect(small.newSpace).toBeLessThan(10);
  expect(large.newSpace).toBeGreaterThan(10);
  expect(small.limit).toBeLessThan(200);
});
