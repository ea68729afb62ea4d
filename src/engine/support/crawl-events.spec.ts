import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { CrawlEvent } from '../events.js';
import { CrawlEvents } from './crawl-events.js';

const MOVE = {
  type: 'move',
  crawler: 'docs',
  root: 'http://a.example/',
  target: 'http://b.example/',
  reason: 'redirected',
};

function watched(...kinds: ('observer' | 'tap' | 'listener')[]) {
  const clock = new ManualClock();
  const events = new CrawlEvents(clock);
  const got: string[] = [];
  const note = (who: string) => (event: CrawlEvent) => void got.push(`${who} ${event.type} ${event.at - clock.now()}`);
  if (kinds.includes('observer')) events.observe(note('observer'));
  if (kinds.includes('tap')) events.tap(note('tap'));
  const stop = kinds.includes('listener') ? events.subscribe(note('listener')) : undefined;
  return { clock, events, got, stop, emit: () => events.emit(MOVE as Parameters<CrawlEvents['emit']>[0]) };
}

it.each(['observer', 'tap', 'listener'] as const)('a single %s gets each event, with its time', (kind) => {
  const { emit, got } = watched(kind);
  emit();
  expect(got).toEqual([`${kind} move 0`]);
});

it('an event of another node reaches the listeners only', () => {
  const { events, clock, got, stop } = watched('observer', 'tap', 'listener');
  expect(events.isWatched).toBe(true);
  events.relay({ ...MOVE, at: clock.now() } as CrawlEvent);
  expect(got).toEqual(['listener move 0']);
  stop!();
  expect(events.isWatched).toBe(false);
});

it('a listener that fails is left out from then on, and the others get the event', () => {
  const { events, emit, got } = watched('tap');
  let calls = 0;
  events.subscribe(() => {
    calls++;
    throw new Error('broken');
  });
  events.subscribe(({ type }) => void got.push(`last ${type}`));
  emit();
  emit();
  expect(calls).toBe(1);
  expect(got).toEqual(['tap move 0', 'last move', 'tap move 0', 'last move']);
});
