import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { until } from '../../../../test/support/until.js';
import { after, hours, milliseconds, seconds } from '../../../domain/time/units.js';
import { Hosts } from './hosts.js';

async function oneHost() {
  const store = await openStoreInThisThread();
  const clock = new ManualClock();
  const recovered: string[] = [];
  const hosts = new Hosts(store, clock, undefined, undefined, ({ key }) => recovered.push(key));
  onTestFinished(async () => {
    hosts.close();
    await store.close();
  });
  const host = hosts.get('http://a.example');
  await until(() => host.loaded);
  return { clock, hosts, host, recovered, store };
}

it('all crawlers share the state of a host while one of them uses it', async () => {
  const { clock, hosts, host } = await oneHost();
  const letGo = hosts.addUser({ onHostReady: () => undefined, isUsing: (key) => key === host.key });
  hosts.forgetUnused();
  expect(hosts.get(host.key)).toBe(host);
  letGo();

  hosts.claim(host);
  hosts.forgetUnused();
  expect(hosts.peek(host.key)).toBe(host);
  hosts.releaseAfterRequest(host, seconds(2));
  await hosts.save();
  hosts.forgetUnused();
  expect(hosts.peek(host.key), 'while it rests').toBe(host);
  clock.advanceTo(host.readyAt);
  hosts.forgetUnused();
  expect(hosts.peek(host.key)).toBeUndefined();
});

it('the pause counts from the end of the request, also when the end is reported later', async () => {
  const { clock, hosts, host } = await oneHost();
  const startedAt = clock.now();
  hosts.claim(host);
  await hosts.recordRequestStart(host, seconds(2));
  clock.advanceTo(after(startedAt, seconds(5)));
  hosts.releaseAfterRequest(host, seconds(2), seconds(1));
  expect(host.readyAt).toBe(after(startedAt, seconds(6)));
});

it('what changes about hosts within a second is saved once', async () => {
  const { clock, hosts, host } = await oneHost();
  await hosts.setPaused(host, true);
  const saveAt = clock.nextTimer!;
  clock.advance(milliseconds(500));
  await hosts.setPaused(host, true);
  clock.advanceTo(saveAt);
  expect(clock.nextTimer).toBeUndefined();
  expect(host.dirty).toBe(false);
});

it('a pause of a host that is not in use yet leaves what is known of it as it is', async () => {
  const { clock, hosts, host, store } = await oneHost();
  hosts.backOff(host, hours(6));
  await hosts.save();
  const later = new Hosts(store, clock);
  onTestFinished(() => later.close());
  await later.setPaused(host, true);
  await later.save();
  const { backOffUntil } = host.politeness;
  expect(await store.loadHosts([host.key])).toMatchObject([{ paused: true, backOffUntil }]);
  expect(later.get(host.key)).toMatchObject({ paused: true, politeness: { backOffUntil } });
});

it('a pause of a host whose record is being read keeps a back-off that begins meanwhile', async () => {
  const { clock, host: stored, hosts: before, store } = await oneHost();
  await before.setPaused(stored, false);
  await before.save();
  const begun = Promise.withResolvers<void>();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let reads = 0;
  const loadHosts: typeof store.loadHosts = async (keys) => {
    begun.resolve();
    const records = await store.loadHosts(keys);
    await gates[reads++]?.promise;
    return records;
  };
  const hosts = new Hosts({ ...store, loadHosts }, clock);
  onTestFinished(() => hosts.close());
  const host = hosts.get(stored.key);
  await begun.promise;
  const pausing = hosts.setPaused(host, true);
  gates[0].resolve();
  await until(() => host.loaded);
  hosts.backOff(host, hours(6));
  gates[1].resolve();
  await pausing;
  expect([host.paused, host.isResting(clock.now())]).toEqual([true, true]);
});

it('a host has recovered when a good response ends its back-off; further ones are nothing new', async () => {
  const { clock, hosts, host, recovered } = await oneHost();
  hosts.noteResponse(host);
  expect(recovered).toEqual([]);
  hosts.backOff(host, undefined);
  hosts.noteResponse(host);
  expect(recovered, 'a response that was in flight').toEqual([]);
  clock.advanceTo(host.readyAt);
  hosts.noteResponse(host);
  expect(recovered).toEqual([host.key]);
  hosts.noteResponse(host);
  hosts.noteRecovery(host);
  expect(recovered).toEqual([host.key]);
});
