import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flatMapInSteps, runAtOnce, runWithPauses, type Steps, sortInSteps, writeJsonInSteps } from './steps.js';

function countPauses(steps: Steps<unknown>): number {
  let pauses = 0;
  while (!steps.next().done) pauses++;
  return pauses;
}

test('a short list is done in one go, and a long one pauses every thousand items', () => {
  const double = (length: number) => flatMapInSteps(Array(length).fill(1), (n: number) => [n, n]);
  expect(countPauses(double(999))).toBe(0);
  expect(countPauses(double(5_500))).toBe(5);
  expect(runAtOnce(double(5_500))).toHaveLength(11_000);
});

test('other work is done during the pauses', async () => {
  const order: string[] = [];
  function* work(): Steps<string> {
    order.push('first part');
    yield;
    order.push('second part');
    return 'result';
  }
  expect(await runWithPauses(work(), async () => order.push('other work'))).toBe('result');
  expect(order).toEqual(['first part', 'other work', 'second part']);
});

test('texts are sorted as sort does', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 })), fc.nat(4_000), (texts, length) => {
      const list = Array.from({ length }, (_, i) => `${texts[i % (texts.length || 1)] ?? ''}${(i * 7_919) % 1_000}`);
      expect(runAtOnce(sortInSteps(list))).toEqual([...list].sort());
    }),
    { numRuns: 50 },
  );
  expect(countPauses(sortInSteps(Array.from({ length: 10_000 }, String)))).toBeGreaterThanOrEqual(9);
});

test('JSON that is written in parts is what JSON.stringify returns', () => {
  const omitPlaces = (key: string, value: unknown) => (key === 'place' ? undefined : value);
  const long = Array.from({ length: 2_500 }, (_, i) => ({ url: `http://h${i}/`, place: i, at: i % 2 ? undefined : i }));
  fc.assert(
    fc.property(fc.object({ withDate: true, maxDepth: 3 }), fc.boolean(), (value, isLong) => {
      const whole = {
        ...value,
        place: 1,
        list: isLong ? long : [1, undefined],
        nested: { empty: {}, none: null, long },
      };
      let text = '';
      runAtOnce(writeJsonInSteps(whole, (part) => (text += part), omitPlaces));
      expect(text).toBe(JSON.stringify(whole, omitPlaces));
    }),
    { numRuns: 50 },
  );
});
