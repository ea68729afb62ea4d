import { expect, it, onTestFinished, vi } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { milliseconds, seconds } from '../../../domain/time/units.js';
import { HostSlots } from './host-slots.js';
import { type Host, Hosts } from './hosts.js';

async function loadedHost() {
  const store = await openStoreInThisThread();
  const clock = new ManualClock();
  const hosts = new Hosts(store, clock);
  const slots = new HostSlots(hosts, clock);
  onTestFinished(async () => {
    hosts.close();
    await store.close();
  });
  const host = hosts.get('http://a.example');
  await vi.waitUntil(() => host.loaded);
  const granted: (Host | undefined)[] = [];
  const claim = (limit = 1) => void slots.claimHost(host.key, limit).then((result) => granted.push(result));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, hosts, slots, host, granted, claim, settle };
}

it('a host that is idle is granted at once', async () => {
  const { slots, host, granted, claim, settle } = await loadedHost();
  claim();
  await settle();
  expect(granted).toEqual([host]);
  expect([host.activeRequests, slots.isUsing(host.key)]).toEqual([1, false]);
});

it('requests other than visits get a host one after the other, each when its pause is over', async () => {
  const { clock, hosts, slots, host, granted, claim, settle } = await loadedHost();
  for (let i = 0; i < 3; i++) claim();
  await settle();
  expect([granted.length, slots.isUsing(host.key)]).toEqual([1, true]);
  hosts.releaseAfterRequest(host, seconds(2));
  clock.advance(seconds(1.9));
  await settle();
  expect(granted).toHaveLength(1);
  clock.advance(seconds(0.1));
  await settle();
  expect(granted).toEqual([host, host]);
});

it('a host that is not free within 30 seconds is not granted', async () => {
  const { clock, hosts, slots, host, granted, claim, settle } = await loadedHost();
  claim();
  claim();
  clock.advance(seconds(30));
  await settle();
  expect(granted).toEqual([host, undefined]);
  expect(slots.isUsing(host.key)).toBe(false);
  hosts.releaseAfterRequest(host, seconds(31));
  expect(await slots.claimHost(host.key, 1)).toBeUndefined();
  clock.advance(milliseconds(1_000));
  claim();
  await settle();
  expect(granted).toHaveLength(2);
});
