import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../domain/time/units.js';
import { SystemClock } from './system-clock.js';

const START = Date.UTC(2026, 0, 1);

describe('the system clock', () => {
  const machine = () => {
    const time = { wall: START, elapsed: 12.5 };
    const clock = new SystemClock({ wall: () => time.wall, elapsed: () => time.elapsed });
    const pass = (ms: number): void => {
      time.wall += ms;
      time.elapsed += ms;
    };
    return { time, clock, pass };
  };

  it('returns the time', () => {
    const { clock, pass } = machine();
    expect(clock.now()).toBe(START);
    pass(1_500);
    expect(clock.now()).toBe(START + 1_500);
    expect(Math.abs(new SystemClock().now() - Date.now())).toBeLessThan(1_000);
  });

  it('goes on at its pace when the system time is set back, until the system time catches up', () => {
    const { time, clock, pass } = machine();
    time.wall -= 3_600_000;
    expect(clock.now()).toBe(START);
    pass(5_000);
    expect(clock.now()).toBe(START + 5_000);
    time.wall += 3_600_000 + 7;
    pass(1);
    expect(clock.now()).toBe(START + 5_008);
  });

  it('follows when the system time is set forward', () => {
    const { time, clock } = machine();
    time.wall += 86_400_000;
    expect(clock.now()).toBe(START + 86_400_000);
  });

  it('follows another clock, at first also backwards, and later never back', () => {
    const { time, clock, pass } = machine();
    clock.now();
    clock.follow(START - 180_000);
    expect(clock.now()).toBe(START - 180_000);
    time.wall += 3_600_000;
    pass(1_000);
    expect(clock.now()).toBe(START - 179_000);
    // An answer that took half a second, and a clock that was set back by an hour.
    for (const late of [500, 3_600_000]) clock.follow(START - 179_000 - late);
    expect(clock.now()).toBe(START - 179_000);
    pass(1_000);
    expect(clock.now()).toBe(START - 178_002);
    clock.follow(START);
    expect(clock.now()).toBe(START);
  });

  it('runs a timer at its time, and at once when that has passed', async () => {
    const clock = new SystemClock();
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      clock.at(instant(clock.now() - 5), () => ran.push('at once'));
      clock.at(instant(clock.now() + 5), () => {
        ran.push('later');
        resolve();
      });
    });
    expect(ran).toEqual(['at once', 'later']);
  });

  it('does not run a timer that was cancelled, and a sleep ends with its signal', async () => {
    const clock = new SystemClock();
    let ran = false;
    clock.at(instant(clock.now() + 1), () => {
      ran = true;
    })();
    await clock.sleep(milliseconds(3));
    expect(ran).toBe(false);
    const stop = new AbortController();
    const sleeping = clock.sleep(milliseconds(3_600_000), stop.signal);
    stop.abort();
    await sleeping;
  });
});
