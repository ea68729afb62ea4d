import { expect, it } from 'vitest';
import { ApiPriority } from './api-priority.js';
import { PageThread, YOUNG_GENERATION } from './page-thread.js';

/** A thread that answers eight calls together, each with the number of messages in which it has received calls. */
const EIGHT_TOGETHER = `
  import { parentPort } from 'node:worker_threads';
  let messages = 0;
  let calls = [];
  parentPort.on('message', (received) => {
    messages++;
    calls.push(...received);
    if (calls.length < 8) return;
    parentPort.postMessage(calls.map(({ seq }) => ({ seq, answer: messages })));
    calls = [];
  });`;

it('sends calls together that answers lead to, although each answer has a turn of its own', async () => {
  let now = 0;
  const apiPriority = new ApiPriority({
    now: () => now++,
    nextTurn: (work) => void setImmediate(work),
    afterMicrotasks: (work) => void setImmediate(work),
    later: (work) => void setImmediate(work),
  });
  apiPriority.startRequest();
  apiPriority.endRequest();
  const entry = new URL(`data:text/javascript,${encodeURIComponent(EIGHT_TOGETHER)}`);
  const thread = new PageThread(entry, YOUNG_GENERATION.withoutTrees, apiPriority, () => {});
  const resolveTwice = async (seq: number) => {
    await thread.call(seq, 'resolve', 'www.example.com');
    return thread.call(seq + 8, 'resolve', 'www.example.com');
  };

  const messages = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(resolveTwice));

  expect(messages).toEqual(new Array(8).fill(2));
  await thread.terminate();
});
