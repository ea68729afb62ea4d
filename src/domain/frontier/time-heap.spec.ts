import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../time/units.js';
import { TimeHeap } from './time-heap.js';

describe('a heap of values by time', () => {
  it('returns the earliest value first, and only once its time has come', () => {
    const heap = new TimeHeap<string>();
    heap.push(instant(30), 'c');
    heap.push(instant(10), 'a');
    heap.push(instant(20), 'b');
    expect(heap.peekTime()).toBe(10);
    expect(heap.popDue(instant(9))).toBeUndefined();
    expect(heap.popDue(instant(10))).toBe('a');
    expect(heap.popDue(instant(10))).toBeUndefined();
    expect([heap.popDue(instant(99)), heap.popDue(instant(99)), heap.popDue(instant(99))]).toEqual([
      'b',
      'c',
      undefined,
    ]);
    expect(heap.peekTime()).toBeUndefined();
  });

  it('behaves like a sorted list under any sequence of calls, first in first out among equal times', () => {
    const operations = fc.array(
      fc.oneof(
        fc.record({ push: fc.integer({ min: 0, max: 8 }) }),
        fc.record({ popAt: fc.integer({ min: 0, max: 10 }) }),
        fc.record({ drop: fc.integer({ min: 2, max: 5 }) }),
      ),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(operations, (steps) => {
        const heap = new TimeHeap<number>();
        let model: { at: number; value: number }[] = [];
        for (const [value, step] of steps.entries()) {
          if ('push' in step) {
            heap.push(instant(step.push), value);
            model = [...model, { at: step.push, value }].sort((a, b) => a.at - b.at || a.value - b.value);
          } else if ('drop' in step) {
            heap.retain((value) => value % step.drop > 0);
            model = model.filter(({ value }) => value % step.drop > 0);
          } else {
            const expected = model[0] !== undefined && model[0].at <= step.popAt ? model.shift()?.value : undefined;
            expect(heap.popDue(instant(step.popAt))).toBe(expected);
          }
          expect(heap.peekTime()).toBe(model[0]?.at);
        }
      }),
    );
  });
});
