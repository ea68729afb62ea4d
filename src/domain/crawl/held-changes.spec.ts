/** How changes that are held are recognized, and when they are looked at again. */
import { expect, it } from 'vitest';
import { createTextSample } from '../content/text-sample.js';
import { computeTextSketch } from '../content/text-sketch.js';
import { hours, minutes } from '../time/units.js';
import { toCrawlUrl } from '../url/crawl-url.js';
import { computeCheckDelay, hasSameIdentity, identifyChange, judgeRobots } from './change-guard.js';

it('pages that have become empty have changed in the same way, whatever is left of their texts', () => {
  const url = toCrawlUrl('https://a.example/page');
  const identify = (text: string): string =>
    identifyChange({
      kind: 'text',
      sample: createTextSample({ title: 'Title', text }, url, computeTextSketch(text), undefined)!,
    });
  expect([identify(''), hasSameIdentity(identify(''), identify('x'))]).toEqual(['/empty', true]);
  expect(hasSameIdentity(identify(''), identify('A river and a stone, a cloud and a garden with a window'))).toBe(
    false,
  );
});

it('a robots.txt is held if it forbids most of the documents, and more than one', () => {
  expect(judgeRobots([true, true, false])).toBe('hold');
  expect(judgeRobots([true, true, false, false])).toBe('believe');
  expect(judgeRobots([true])).toBe('believe');
});

it('a host is checked after a minute, then every quarter of an hour, and at last every hour', () => {
  expect([0, 1, 2, 3, 4, 24, 25, 1_000].map(computeCheckDelay)).toEqual(
    [1, 2, 4, 8, 15, 15].map(minutes).concat([hours(1), hours(1)]),
  );
});
