import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours, type Instant, instant, minutes } from '../time/units.js';
import { DeletionGuard } from './deletion-guard.js';

const settings = { on: true, maxDeletions: 50, maxShare: 0.1, window: hours(1) };
const start = 1_700_000_000_000;
const at = (minute: number): Instant => instant(start + minutes(minute));

/** Requests n deletions on a host that had `indexed` documents before the first one; returns how many were sent. */
function deletions(guard: DeletionGuard, n: number, host: { key: string; indexed: number }, now: Instant): number {
  let sent = 0;
  for (let i = 0; i < n; i++) if (guard.judge(host.key, host.indexed - sent, now) === 'send') sent++;
  return sent;
}

describe('the deletion guard', () => {
  it('sends deletions below the limits at once', () => {
    expect(deletions(new DeletionGuard(settings), 50, { key: 'a.example', indexed: 50 }, at(0))).toBe(50);
  });

  it('holds deletions beyond the number limit on a small host', () => {
    const guard = new DeletionGuard(settings);
    expect(deletions(guard, 300, { key: 'a.example', indexed: 300 }, at(0))).toBe(50);
    expect(deletions(guard, 10, { key: 'b.example', indexed: 300 }, at(0))).toBe(10);
  });

  it('forgets deletions that followed each other quickly an hour after the last of them', () => {
    const guard = new DeletionGuard(settings);
    deletions(guard, 1, { key: 'a.example', indexed: 300 }, at(0));
    deletions(guard, 49, { key: 'a.example', indexed: 299 }, at(0.5));
    expect(deletions(guard, 1, { key: 'a.example', indexed: 250 }, at(60.25))).toBe(0);
    expect(deletions(guard, 1, { key: 'a.example', indexed: 250 }, at(61))).toBe(1);
  });

  it('holds deletions beyond the share limit on a large host, relative to its documents when the window began', () => {
    expect(deletions(new DeletionGuard(settings), 5_000, { key: 'a.example', indexed: 10_000 }, at(0))).toBe(1_000);
  });

  it('sends deletions again once earlier ones have left the window', () => {
    const guard = new DeletionGuard(settings);
    deletions(guard, 100, { key: 'a.example', indexed: 250 }, at(0));
    expect(guard.judge('a.example', 200, at(59))).toBe('hold');
    expect(deletions(guard, 100, { key: 'a.example', indexed: 200 }, at(60))).toBe(50);
  });

  it('does not count held deletions as sent', () => {
    const guard = new DeletionGuard(settings);
    deletions(guard, 60, { key: 'a.example', indexed: 60 }, at(0));
    deletions(guard, 60, { key: 'a.example', indexed: 10 }, at(50));
    expect(guard.judge('a.example', 10, at(60))).toBe('send');
  });

  it('sends everything when it is off', () => {
    const guard = new DeletionGuard({ ...settings, on: false });
    expect(deletions(guard, 1_000, { key: 'a.example', indexed: 1_000 }, at(0))).toBe(1_000);
  });

  it('resumes after a restart, given the times in any order', () => {
    const guard = new DeletionGuard(settings);
    guard.restore('a.example', [...Array(10).fill(at(30)), ...Array(30).fill(at(0))]);
    expect(deletions(guard, 30, { key: 'a.example', indexed: 60 }, at(59))).toBe(10);
    expect(deletions(guard, 60, { key: 'a.example', indexed: 50 }, at(60))).toBe(30);
  });

  it('forgets the host that has been quiet the longest beyond 100,000 hosts', () => {
    const guard = new DeletionGuard(settings);
    deletions(guard, 49, { key: 'first.example', indexed: 50 }, at(0));
    deletions(guard, 50, { key: 'second.example', indexed: 50 }, at(0));
    deletions(guard, 1, { key: 'first.example', indexed: 1 }, at(0));
    for (let i = 0; i < 99_999; i++) guard.judge(`h${i}.example`, 5, at(1));
    expect(guard.judge('first.example', 0, at(2))).toBe('hold');
    expect(guard.judge('second.example', 0, at(2))).toBe('send');
  });

  it('never sends more than the larger limit within any window, and never holds below both', () => {
    const asks = fc.array(
      fc.record({
        wait: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3_600 })),
        n: fc.integer({ min: 1, max: 40 }),
      }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(asks, fc.integer({ min: 0, max: 2_000 }), (steps, indexed) => {
        const guard = new DeletionGuard(settings);
        const sent: number[] = [];
        let now = start;
        for (const { wait, n } of steps) {
          now += wait * 1000;
          for (let i = 0; i < n; i++) {
            const recent = sent.filter((time) => time > now - settings.window).length;
            const limit = Math.max(settings.maxDeletions, settings.maxShare * indexed);
            const answer = guard.judge('a.example', indexed - recent, instant(now));
            if (answer === 'send') sent.push(now);
            const late = settings.window * (1 + 1 / 32);
            const recentAtMost = sent.filter((time) => time > now - late).length;
            if (answer === 'send') expect(recent + 1).toBeLessThanOrEqual(limit);
            else expect(recentAtMost + 1).toBeGreaterThan(limit);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
