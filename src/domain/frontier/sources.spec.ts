import { expect, it } from 'vitest';
import { instant } from '../time/units.js';
import { assignSource, explainAssignment, SOURCES, toImmediateQueuePlace } from './sources.js';

const grants = (index: boolean, follow: boolean) => ({ index, follow });

it.each([
  ['root', grants(true, true), 'user'],
  ['indexnow', grants(true, true), 'user'],
  ['redirect', grants(false, false), 'redir'],
  ['link', grants(true, false), 'index'],
  ['link', grants(true, true), 'index_follow'],
  ['sitemap', grants(true, true), 'index_follow'],
  ['link', grants(false, true), 'follow'],
  ['link', grants(false, false), 'follow'],
  ['due', grants(true, true), 'refresh'],
] as const)('a %s that may %j is queued in %s', (via, granted, expected) => {
  expect(SOURCES[assignSource(via, granted, 0)]).toBe(expected);
  expect(explainAssignment(via, granted, 0)).toEqual({ natural: expected, shift: 0, source: expected });
});

it.each([
  [-2, 'redir'],
  [-1, 'index'],
  [-0.9, 'index_follow'],
  [0.9, 'index_follow'],
  [1, 'follow'],
  [2, 'follow'],
  [-9, 'user'],
])('a shift of %s moves a link from index_follow to %s, within the first five sources', (shift, expected) => {
  expect(SOURCES[assignSource('link', grants(true, true), shift)]).toBe(expected);
  expect(explainAssignment('link', grants(true, true), shift)).toEqual({
    natural: 'index_follow',
    shift: Math.trunc(shift),
    source: expected,
  });
});

it('neither refreshes nor sitemaps are shifted', () => {
  expect(SOURCES[assignSource('due', grants(true, true), -2)]).toBe('refresh');
  expect(explainAssignment('robots', grants(true, true), -2)).toEqual({
    natural: 'follow',
    shift: 0,
    source: 'follow',
  });
});

it('a URL that is wanted at once is due now, or since it has been due', () => {
  const now = instant(1_000);
  expect(toImmediateQueuePlace({ dueAt: instant(1) }, now)).toEqual({ source: 0, dueAt: now });
  expect(toImmediateQueuePlace({ source: 5, dueAt: instant(1) }, now)).toEqual({ source: 0, dueAt: instant(1) });
  expect(toImmediateQueuePlace({ source: 5, dueAt: instant(2_000) }, now)).toEqual({ source: 0, dueAt: now });
});
