import { describe, expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';
import { EventFeed } from './events.controller.js';

const verdict = (n: number): CrawlEvent => ({
  type: 'verdict',
  at: instant(n),
  crawler: 'c',
  url: `u${n}`,
  reason: 'rule-ignored',
});
const state: CrawlEvent = { type: 'crawler', at: instant(0), crawler: 'c', state: 'paused' };

describe('an event feed', () => {
  it('delivers a limited number of events of a type per second and counts the rest', () => {
    const feed = new EventFeed(3);
    for (let n = 0; n < 10; n++) feed.offer(verdict(n), instant(500));
    expect(feed.offer(state, instant(500))).toBe(true);
    const first = feed.drain();
    expect(first.events).toHaveLength(4);
    expect(first.dropped).toEqual({ verdict: 7 });
    expect(feed.drain()).toEqual({ events: [], dropped: undefined });
    expect(feed.offer(verdict(11), instant(1000))).toBe(true);
  });

  it('bounds the queue of a listener that does not read', () => {
    const feed = new EventFeed(20);
    for (let second = 0; second < 100; second++) {
      for (let n = 0; n < 30; n++) feed.offer(verdict(n), instant(second * 1000));
    }
    const { events, dropped } = feed.drain();
    expect(events).toHaveLength(200);
    expect(dropped).toEqual({ verdict: 2800 });
  });
});
