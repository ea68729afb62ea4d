import { describe, expect, it } from 'vitest';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH, USER } from '../../../domain/frontier/sources.js';
import { days, instant, milliseconds } from '../../../domain/time/units.js';
import { HostWindow } from './host-window.js';

const state = (id: number, particulars: Partial<UrlState> = {}) => ({ id, ...particulars }) as UrlState;

it('a page of a host may be requested when the host has rested and all gates are open', () => {
  const window = new HostWindow({ readyAt: instant(5) } as never, 1);
  const opensAt = (time: number) => ({ getOpeningTime: () => instant(time) }) as never;
  expect(window.getReadyTime(instant(1))).toBe(5);
  window.gates = [opensAt(3), opensAt(9)];
  expect(window.getReadyTime(instant(1))).toBe(9);
  window.gates = [opensAt(3), opensAt(1)];
  expect(window.getReadyTime(instant(1))).toBe(5);
});

it('a window is unused if it holds no URL, reads none and none is due soon', () => {
  const window = new HostWindow({ readyAt: instant(5) } as never, 1);
  expect(window.isUnused(instant(10))).toBe(true);
  window.nextDue[1] = instant(10);
  expect([window.isUnused(instant(9)), window.isUnused(instant(10))]).toEqual([true, false]);
  window.loading[2] = true;
  expect(window.isUnused(instant(9))).toBe(false);
  window.loading[2] = false;
  window.heldIds.add(7 as never);
  expect(window.isUnused(instant(9))).toBe(false);
});

describe('documents past their maximum age', () => {
  const visitedAt = instant(1_000);
  const overdueAt = instant(visitedAt + days(1) + 1);

  function withDocuments(...ids: number[]): HostWindow {
    const window = new HostWindow({ readyAt: instant(5) } as never, 1);
    for (const id of ids) window.buffers[REFRESH]!.push(state(id, { lastVisitAt: visitedAt }));
    return window;
  }

  it('are those that have not been visited for longer than it', () => {
    const window = withDocuments(1);
    window.promoteOverdue(days(1), instant(overdueAt - milliseconds(1)));
    expect([window.hasUrl(USER), window.hasUrl(REFRESH)]).toEqual([false, true]);
    window.promoteOverdue(days(1), overdueAt);
    expect([window.hasUrl(USER), window.hasUrl(REFRESH), window.bufferedCount]).toEqual([true, false, 1]);
  });

  it('leave every second turn to a URL that a user submitted, even to a single one', () => {
    const window = withDocuments(1, 2, 3);
    window.promoteOverdue(days(1), overdueAt);
    window.buffers[USER]!.push(state(9));
    expect([1, 2, 3, 4].map(() => window.take(USER).id)).toEqual([1, 9, 2, 3]);
    expect(window.hasUrl(USER)).toBe(false);
  });

  it('can be taken out of the queue like others', () => {
    const window = withDocuments(1, 2);
    window.promoteOverdue(days(1), overdueAt);
    window.buffers[REFRESH]!.push(state(3));
    expect([window.removeBuffered(1 as never), window.removeBuffered(1 as never)]).toEqual([true, false]);
    expect([1, 2, 3].map((id) => window.isBuffered(id as never))).toEqual([false, true, true]);
    window.clear();
    expect(window.bufferedCount).toBe(0);
  });
});
