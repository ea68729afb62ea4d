import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { after, minutes } from '../../domain/time/units.js';
import { NO_OTHERS } from '../support/single-node.js';
import { PauseEnds } from './pause-ends.js';

it('an end that another node has set or taken back counts here, too', async () => {
  const clock = new ManualClock();
  const settings = new Map<string, string>();
  const store = {
    listSettings: async () => new Map(settings),
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string | undefined) =>
      void (value === undefined ? settings.delete(name) : settings.set(name, value)),
  };
  const resumed: string[] = [];
  const resume = async (name: string) => void resumed.push(name);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const services = { store, clock, log, nodes: NO_OTHERS } as unknown as ConstructorParameters<typeof PauseEnds>[0];
  const ends = new PauseEnds(services, { crawler: resume, host: resume });

  const until = after(clock.now(), minutes(5));
  for (const name of ['docs', 'news']) settings.set(`pause-end/crawler/${name}`, String(until));
  await ends.restore();
  settings.delete('pause-end/crawler/docs');
  await ends.restore();
  expect(ends.find('crawler', 'docs')).toBeUndefined();
  expect(ends.find('crawler', 'news')).toBe(until);

  await clock.pass(minutes(5));
  expect(resumed).toEqual(['news']);
  expect(settings.size).toBe(0);
});
