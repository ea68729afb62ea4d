import { expect, it } from 'vitest';
import { instant } from '../../../domain/time/units.js';
import { Inquiry } from './inquiry.js';

it('a page that has failed counts from when a change was first seen, until it says something', () => {
  const inquiry = new Inquiry(instant(0));
  const change = { kind: 'directive', reason: 'noindex' } as const;
  const countFailed = () => inquiry.collect(1, change, instant(30)).failed;
  inquiry.misses.set(2, { at: instant(10), hasFailed: true });
  inquiry.misses.set(3, { at: instant(20), hasFailed: true });
  inquiry.misses.set(4, { at: instant(20), hasFailed: false });
  expect(countFailed()).toBe(0);
  inquiry.firstSeen.set(1, instant(20));
  expect(countFailed()).toBe(1);
  inquiry.note(3, {}, instant(25));
  expect(countFailed()).toBe(0);
});
