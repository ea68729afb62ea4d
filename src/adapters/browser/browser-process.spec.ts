import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { describeUnless, notLinux } from '../../../test/support/left-out.js';
import { capPriority, ProcessorShare } from './browser-process.js';

/** Half the time of two processors. */
const PER_SECOND = 1;

function share(): { share: ProcessorShare; pass: (seconds: number) => void } {
  let now = 1_000;
  const pass = (seconds: number): void => {
    now += seconds;
  };
  return { share: new ProcessorShare(PER_SECOND, () => now), pass };
}

it('starts pages at once while the browser stays within its share', () => {
  const { share: processor, pass } = share();
  processor.recordUsage(0);
  for (let second = 1; second <= 60; second++) {
    pass(1);
    processor.recordUsage(second * 0.9);
    expect(processor.computeWaitTime()).toBe(0);
  }
});

it('delays pages until the time of earlier pages is within the share', () => {
  const { share: processor, pass } = share();
  processor.recordUsage(0);
  processor.recordUsage(15); // at most 5 seconds can be saved up
  expect(processor.computeWaitTime()).toBeCloseTo(10);
  pass(4);
  expect(processor.computeWaitTime()).toBeCloseTo(6);
  pass(6);
  expect(processor.computeWaitTime()).toBe(0);
});

it('accumulates no more than a few seconds while nothing is rendered', () => {
  const { share: processor, pass } = share();
  processor.recordUsage(0);
  pass(3_600);
  expect(processor.computeWaitTime()).toBe(0);
  processor.recordUsage(7);
  expect(processor.computeWaitTime()).toBeCloseTo(2);
});

it('counts from zero for the successor of a replaced browser', () => {
  const { share: processor } = share();
  processor.recordUsage(100);
  processor.recordUsage(1);
  expect(processor.computeWaitTime()).toBe(0);
  processor.recordUsage(7);
  expect(processor.computeWaitTime()).toBeCloseTo(1);
});

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
