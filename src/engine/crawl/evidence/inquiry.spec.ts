import { describe, expect, it } from 'vitest';
import { changed, createStamp, kept, textChange, WALL, write } from '../../../../test/support/page-answers.js';
import type { PageAnswer } from '../../../domain/crawl/change-guard.js';
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

describe('a change that a page has shown and not kept', () => {
  const showThen = (first: PageAnswer, next: PageAnswer, ids = [1]) => {
    const inquiry = new Inquiry(instant(0));
    for (const [time, answer] of [first, next].entries())
      for (const id of ids) inquiry.note(id, { indexedStamp: createStamp(0), ...answer }, instant(time));
    const { takenBack, ownTakenBack } = inquiry.collect(1, textChange(write(9)), instant(2));
    return { takenBack: takenBack.length, own: ownTakenBack !== undefined };
  };

  it('is none that was believed and stands', () => {
    expect(showThen(changed(1, write(2)), kept(1))).toEqual({ takenBack: 1, own: true });
    const rewritten = { ...kept(2), indexedStamp: createStamp(2) };
    expect(showThen(changed(1, write(2)), rewritten)).toEqual({ takenBack: 0, own: false });
    expect(showThen(changed(1, write(2)), { ...changed(2, write(3)), indexedStamp: createStamp(2) }).takenBack).toBe(1);
  });

  it('does not count as its own text if other pages have shown it as well', () => {
    expect(showThen(changed(1, WALL), kept(1), [1, 2])).toEqual({ takenBack: 2, own: false });
  });
});
