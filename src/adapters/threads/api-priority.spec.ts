import { expect, it } from 'vitest';
import { ApiPriority } from './api-priority.js';

/** An event loop whose turns are run one at a time, with a clock that the test moves. */
function startLoop() {
  let now = 0;
  let turns: (() => void)[] = [];
  let timers: { readonly at: number; readonly work: () => void }[] = [];
  const priority = new ApiPriority({
    now: () => now,
    nextTurn: (work) => void turns.push(work),
    afterMicrotasks: (work) => work(),
    later: (work, milliseconds) => void timers.push({ at: now + milliseconds, work }),
  });
  const done: number[] = [];
  return {
    priority,
    done,
    /** Each result takes some milliseconds of work. */
    handOut: (count: number, milliseconds = 1) => {
      for (let i = 0; i < count; i++) {
        priority.handOut(() => {
          done.push(i);
          now += milliseconds;
        });
      }
    },
    runTurn: () => {
      const works = turns;
      turns = [];
      for (const work of works) work();
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { work } of due) work();
    },
  };
}

it('delivers results at once while the API is not used', () => {
  const { handOut, done } = startLoop();
  handOut(3);
  expect(done).toEqual([0, 1, 2]);
});

it('delivers one result per turn while the API is in use, in the order of arrival', () => {
  const { priority, handOut, done, runTurn } = startLoop();
  priority.startRequest();
  priority.endRequest();
  handOut(3);
  expect(done).toEqual([]);
  runTurn();
  expect(done).toEqual([0]);
  runTurn();
  runTurn();
  expect(done).toEqual([0, 1, 2]);
});

it('delivers several results per turn if they take little time', () => {
  const { priority, handOut, done, runTurn } = startLoop();
  priority.startRequest();
  priority.endRequest();
  handOut(10, 0.125);
  runTurn();
  expect(done).toEqual([0, 1]);
});

it('counts the work that a result starts, not only the call', async () => {
  const priority = new ApiPriority();
  priority.startRequest();
  priority.endRequest();
  const order: string[] = [];
  for (const name of ['first', 'second']) {
    priority.handOut(() => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => order.push(`${name} continued`));
      order.push(name);
    });
  }
  await new Promise<void>((resolve) => priority.handOut(resolve));
  expect(order).toEqual(['first', 'first continued', 'second', 'second continued']);
});

it('delivers nothing while a request is being answered, and goes on afterwards', () => {
  const { priority, handOut, done, runTurn } = startLoop();
  priority.startRequest();
  handOut(1);
  runTurn();
  expect(done).toEqual([]);
  priority.endRequest();
  runTurn();
  expect(done).toEqual([0]);
});

it('does not wait long for a request that never ends, nor for consecutive ones', () => {
  const { priority, handOut, done, runTurn, pass } = startLoop();
  priority.startRequest();
  handOut(20);
  runTurn();
  pass(5);
  runTurn();
  expect(done).toHaveLength(8);
  for (let request = 0; request < 100 && done.length < 20; request++) {
    priority.startRequest();
    runTurn();
    pass(1);
  }
  expect(done).toHaveLength(20);
});

it('delivers at once again when the API has not been used for a while', () => {
  const { priority, handOut, done, pass } = startLoop();
  priority.startRequest();
  priority.endRequest();
  pass(1_000);
  handOut(2);
  expect(done).toEqual([0, 1]);
});

it('delivers everything before a thread ends', () => {
  const { priority, handOut, done } = startLoop();
  priority.startRequest();
  handOut(3);
  priority.flush();
  expect(done).toEqual([0, 1, 2]);
});
