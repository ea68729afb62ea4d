import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { scenarioStore } from '../../../../test/support/scenario-database.js';
import { days, hours, instant, milliseconds, seconds } from '../../../domain/time/units.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import { Usage } from './usage.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const used = { bytes: 1_000, rendering: milliseconds(20) };

async function openUsage(store: FrontierStore, clock: ManualClock, name = ''): Promise<Usage> {
  const usage = new Usage({ store, clock, log, nodes: { name } });
  await usage.open();
  return usage;
}

const summer = { from: '2026-06-01', to: '2026-08-31' };

it('continues the day after a restart, and keeps days apart', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(NOON);
  const first = await openUsage(store, clock);
  first.note('a', used);
  first.note('a', used);
  await first.close();
  const second = await openUsage(store, clock);
  expect(second.getToday('a')).toEqual({ bytes: 2_000, rendering: 40 });
  clock.advance(hours(13));
  expect(second.getToday('a')).toEqual({ bytes: 0, rendering: 0 });
  second.note('a', used);
  const listed = await second.list(summer);
  expect(listed.map(({ day, visits, bytes }) => [day, visits, bytes])).toEqual([
    ['2026-06-01', 2, 2_000],
    ['2026-06-02', 1, 1_000],
  ]);
  await second.close();
  await store.close();
});

it('adds up what several nodes use', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(NOON);
  const [one, other] = [await openUsage(store, clock, 'one'), await openUsage(store, clock, 'other')];
  one.note('a', used);
  other.note('a', used);
  await one.save();
  clock.advance(seconds(31));
  await other.save();
  expect(other.getToday('a').bytes).toBe(2_000);
  expect(await one.list(summer)).toMatchObject([{ crawler: 'a', visits: 2, bytes: 2_000 }]);
  await one.close();
  await other.close();
  await store.close();
});

it('forgets what is older than 400 days', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(NOON);
  const usage = await openUsage(store, clock);
  usage.note('a', used);
  clock.advance(days(399));
  await usage.prune();
  expect(await usage.list({ from: '2026-01-01', to: '2028-01-01' })).toHaveLength(1);
  clock.advance(days(2));
  await usage.prune();
  expect(await usage.list({ from: '2026-01-01', to: '2028-01-01' })).toEqual([]);
  await usage.close();
  await store.close();
});

it('is saved half a minute after the first use that is not saved yet', async () => {
  const store = await scenarioStore();
  const clock = new ManualClock(NOON);
  const usage = await openUsage(store, clock);
  usage.note('a', used);
  clock.advance(seconds(20));
  usage.note('a', used);
  expect(clock.nextTimer).toBe(NOON + seconds(30));
  await usage.close();
  await store.close();
});
