import { expect, it } from 'vitest';
import { ProcessorShare } from './processor-share.js';

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
