import { expect, it } from 'vitest';
import { instant } from '../../../domain/time/units.js';
import { HostWindow } from './host-window.js';

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
