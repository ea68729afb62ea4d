import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { after, minutes } from '../../domain/time/units.js';
import { PauseEnds } from './pause-ends.js';

/** Pauses of one server, and what has gone on by itself; the end of the pause of `broken` always fails. */
function startServer(settings = new Map<string, string>(), clock = new ManualClock()) {
  const store = {
    listSettings: async () => new Map(settings),
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string | undefined) =>
      void (value === undefined ? settings.delete(name) : settings.set(name, value)),
  };
  const resumed: string[] = [];
  const errors: unknown[] = [];
  const resume = (what: string) => async (name: string) => {
    if (name === 'broken') throw new Error('out of order');
    resumed.push(`${what} ${name}`);
  };
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (...facts: unknown[]) => errors.push(facts[1]),
  };
  const told: number[] = [];
  const nodes = { notifyControlChanged: async () => void told.push(clock.now()) };
  const services = { store, clock, log, nodes } as unknown as ConstructorParameters<typeof PauseEnds>[0];
  const ends = new PauseEnds(services, { crawler: resume('crawler'), host: resume('host') });
  return { settings, clock, ends, resumed, errors, told, in: (time: number) => after(clock.now(), minutes(time)) };
}

it('an end that another node has set or taken back counts here, too', async () => {
  const { settings, clock, ends, resumed, in: at } = startServer();
  const until = at(5);
  for (const name of ['docs', 'news']) settings.set(`pause-end/crawler/${name}`, String(until));
  await ends.restore();
  settings.delete('pause-end/crawler/docs');
  await ends.restore();
  expect(ends.find('crawler', 'docs')).toBeUndefined();
  expect(ends.find('crawler', 'news')).toBe(until);

  await clock.pass(minutes(5));
  expect(resumed).toEqual(['crawler news']);
  expect(settings.size).toBe(0);
});

it('a pause ends at the time that was set last, and not at all once it is ended or has no end any more', async () => {
  const { clock, ends, resumed, settings, told, in: at } = startServer();
  await ends.set('host', 'without an end', undefined);
  expect(told).toEqual([]);
  await expect(ends.set('host', 'h', clock.now())).rejects.toThrow('the end of the pause is in the past');
  await ends.set('host', 'http://h/', at(5));
  await ends.set('host', 'http://h/', at(9));
  await ends.set('crawler', 'docs', at(5));
  await ends.set('crawler', 'docs', undefined);
  await clock.pass(minutes(8));
  expect(resumed).toEqual([]);
  await clock.pass(minutes(1));
  expect([resumed, settings.size]).toEqual([['host http://h/'], 0]);
  expect(ends.find('host', 'http://h/')).toBeUndefined();
});

it('a pause ends after a restart, too, and on one node only', async () => {
  const { clock, settings, ends, resumed, in: at } = startServer();
  await ends.set('crawler', 'docs', at(5));
  const other = startServer(settings, clock);
  await other.ends.restore();
  ends.close();
  await clock.pass(minutes(6));
  expect([resumed, other.resumed]).toEqual([[], ['crawler docs']]);
  settings.set('pause-end/crawler/news', String(at(1)));
  await other.ends.restore();
  settings.delete('pause-end/crawler/news');
  await clock.pass(minutes(2));
  expect(other.resumed).toEqual(['crawler docs']);
});

it('a pause that cannot be ended is reported', async () => {
  const { clock, ends, errors, in: at } = startServer();
  await ends.set('crawler', 'broken', at(1));
  await clock.pass(minutes(1));
  expect(errors).toEqual([{ paused: 'crawler/broken', error: 'Error: out of order' }]);
});
