import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { type Instant, instant, minutes, NEVER, after as plus, seconds } from '../../../domain/time/units.js';
import type { GatedWindow } from '../frontier/gate.js';
import type { Host } from './hosts.js';
import { GroupGate, PolitenessGroup, PolitenessGroups } from './politeness-groups.js';

/** A window that has URLs unless it says otherwise. */
const window = (key: string, ready = true, limit = 1): GatedWindow => ({ host: { key }, limit, ready: [ready] });
const hostResting = (until: number): Host => ({ politeness: { nextRequestAt: instant(until) } }) as unknown as Host;

function group() {
  const clock = new ManualClock();
  const shared = new PolitenessGroup('address 10.0.0.1', false, clock);
  const offered: string[] = [];
  const gate = () => new GroupGate(shared, ({ host }) => offered.push(host.key));
  const takeOffered = () => offered.splice(0);
  return { clock, shared, gate, takeOffered };
}

describe('the gate of hosts with one address', () => {
  it('is open until a request begins, and then when the pause after it has ended', () => {
    const { clock, gate } = group();
    const one = gate();
    const opening = (limit = 1): Instant => one.getOpeningTime(clock.now(), window('a', true, limit));
    expect(opening() <= clock.now()).toBe(true);
    one.onVisitStarted();
    expect(opening()).toBe(NEVER);
    expect(opening(2)).toBeLessThanOrEqual(clock.now());
    one.onFetched(hostResting(clock.now() + 5_000), 0, minutes(1));
    expect(opening()).toBe(plus(clock.now(), seconds(5)));
  });

  it.each([
    ['address 10.0.0.1', false, 2],
    ['domain shop.example', true, 60],
  ])(
    '%s: what one host asks for beyond the pause of the crawl delays its neighbours only if they have one owner',
    (key, hasOneOwner, wait) => {
      const clock = new ManualClock();
      const gate = new GroupGate(new PolitenessGroup(key, hasOneOwner, clock), () => undefined);
      gate.onVisitStarted();
      gate.onFetched(hostResting(clock.now() + 60_000), 0, seconds(2));
      expect(gate.getOpeningTime(clock.now(), window('b'))).toBe(plus(clock.now(), seconds(wait)));
    },
  );

  it('keeps the longest pause of its hosts', () => {
    const { clock, gate } = group();
    const one = gate();
    for (const wait of [5_000, 3_000]) {
      one.onVisitStarted();
      one.onFetched(hostResting(clock.now() + wait), 0, minutes(1));
    }
    expect(one.getOpeningTime(clock.now(), window('a'))).toBe(plus(clock.now(), seconds(5)));
  });

  it('offers a waiting window at once if no request is in flight, and one more after each request and its pause', () => {
    const { clock, gate, shared, takeOffered } = group();
    const one = gate();
    one.offerWhenOpen(window('a'));
    expect(takeOffered()).toEqual(['a']);
    one.onVisitStarted();
    for (const key of ['b', 'c']) one.offerWhenOpen(window(key));
    expect(takeOffered()).toEqual([]);
    one.onFetched(hostResting(clock.now() + 2_000), 0, minutes(1));
    expect(takeOffered()).toEqual([]);
    clock.advance(seconds(1.9));
    expect(takeOffered()).toEqual([]);
    clock.advance(seconds(0.1));
    expect(takeOffered()).toEqual(['b']);
    one.onVisitStarted();
    one.onFetched(hostResting(clock.now() + 2_000), 0, minutes(1));
    clock.advance(seconds(2));
    expect(takeOffered()).toEqual(['c']);
    expect(shared.gates.size).toBe(0);
    expect(clock.nextTimer).toBeUndefined();
  });

  it('offers the next one if a window has no URL, or passes its turn', () => {
    const { gate, takeOffered } = group();
    const one = gate();
    one.onVisitStarted();
    one.offerWhenOpen(window('empty', false));
    one.offerWhenOpen(window('a'));
    one.offerWhenOpen(window('b'));
    one.onFetched(hostResting(0), 0, minutes(1));
    expect(takeOffered()).toEqual(['empty', 'a']);
    one.onPassedOver();
    expect(takeOffered()).toEqual(['b']);
    one.onVisitStarted();
    one.offerWhenOpen(window('c'));
    one.onPassedOver();
    expect(takeOffered()).toEqual([]);
  });

  it('offers a window of each crawler that shares it, once a timer has run', () => {
    const { clock, gate, takeOffered } = group();
    const [one, other] = [gate(), gate()];
    one.onVisitStarted();
    one.offerWhenOpen(window('a'));
    other.offerWhenOpen(window('b'));
    one.onFetched(hostResting(clock.now() + 1_000), 0, minutes(1));
    one.onPassedOver();
    clock.advance(seconds(1));
    expect(takeOffered()).toEqual(['a', 'b']);
    expect(clock.nextTimer).toBeUndefined();
  });

  it('has one timer for the end of a pause, however many windows wait for it', () => {
    const { clock, gate, shared } = group();
    const timers = vi.spyOn(clock, 'at');
    const one = gate();
    one.onVisitStarted();
    one.offerWhenOpen(window('a'));
    one.onFetched(hostResting(clock.now() + 1_000), 0, minutes(1));
    for (const key of ['b', 'c']) one.offerWhenOpen(window(key));
    shared.offerNext();
    expect(timers).toHaveBeenCalledTimes(1);
  });

  it('waits on when the pause was extended meanwhile', () => {
    const { clock, gate, takeOffered } = group();
    const one = gate();
    one.onVisitStarted();
    one.offerWhenOpen(window('a'));
    one.onFetched(hostResting(clock.now() + 1_000), 0, minutes(1));
    one.onVisitStarted();
    one.onFetched(hostResting(clock.now() + 3_000), 0, minutes(1));
    clock.advance(seconds(2));
    expect(takeOffered()).toEqual([]);
    clock.advance(seconds(1));
    expect(takeOffered()).toEqual(['a']);
  });
});

function groups(addresses: Readonly<Record<string, string>> = {}) {
  const clock = new ManualClock();
  const lookups: string[] = [];
  const answers: (() => void)[] = [];
  const resolve = (hostname: string) => {
    lookups.push(hostname);
    return new Promise<string | undefined>((answer, fail) => {
      answers.push(() => (hostname === 'broken' ? fail(new Error('no answer')) : answer(addresses[hostname])));
    });
  };
  const all = new PolitenessGroups(clock, resolve, async () => (name) => name.match(/[a-z]+\.example$/)?.[0]);
  const lookUp = async (name: string): Promise<string | undefined> => {
    const found = all.lookUp(name);
    for (const answer of answers.splice(0)) answer();
    await found;
    return all.findByKnownAddress(name).group?.key;
  };
  return { clock, all, lookups, answers, lookUp };
}

describe('hosts share a group', () => {
  it('by their registrable domain, once the list of domains is there; a host without one is alone', async () => {
    const { all } = groups();
    expect(all.findByDomain('www.a.example')).toBeUndefined();
    await all.ensureDomainsLoaded();
    const shared = all.findByDomain('www.a.example');
    expect(all.findByDomain('a.example')).toBe(shared);
    expect(all.findByDomain('b.example')).not.toBe(shared);
    expect(all.findByDomain('localhost')?.key).toBe('domain localhost');
  });

  it.each([
    ['10.0.0.1', 'address 10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
    ['2001:db8::1', 'address 2001:db8:0:0::/64'],
    ['2001:db8:1:2:3::', 'address 2001:db8:1:2::/64'],
    ['::1', 'address 0:0:0:0::/64'],
    ['1::2:3:4:5:6:7', 'address 1:0:2:3::/64'],
    ['::1:2:3:4:5:6:7', 'address 0:1:2:3::/64'],
  ])('by their address, of which IPv6 counts by network: %s', async (address, key) => {
    const { lookUp } = groups({ a: address });
    expect(await lookUp('a')).toBe(key);
  });

  it('for half an hour, after which the address is looked up again and used meanwhile', async () => {
    const { all, clock, lookUp, lookups } = groups({ a: '10.0.0.1' });
    expect(all.findByKnownAddress('a')).toEqual({ isKnown: false, needsLookup: true });
    await lookUp('a');
    const group = all.findByKnownAddress('a').group!;
    clock.advance(minutes(29));
    expect(all.findByKnownAddress('a')).toEqual({ group, isKnown: true, needsLookup: false });
    clock.advance(minutes(1));
    expect(all.findByKnownAddress('a')).toEqual({ group, isKnown: true, needsLookup: true });
    // While it is looked up, for at most a minute, no one else does so.
    void all.lookUp('a');
    expect(all.findByKnownAddress('a')).toEqual({ group, isKnown: true, needsLookup: false });
    clock.advance(minutes(1));
    expect(all.findByKnownAddress('a').needsLookup).toBe(true);
    expect(lookups).toEqual(['a', 'a']);
  });

  it.each(['unknown', 'broken'])('not if they have no address: %s', async (name) => {
    const { all, lookUp } = groups();
    expect(await lookUp(name)).toBeUndefined();
    expect(all.findByKnownAddress(name)).toEqual({ isKnown: true, needsLookup: false });
  });

  it('and at most 32 names are looked up at once', async () => {
    const { all, answers, lookups } = groups();
    const found = Array.from({ length: 40 }, (_, i) => all.lookUp(`h${i}`));
    expect(lookups).toHaveLength(32);
    answers.shift()!();
    await found[0];
    await expect.poll(() => lookups.length).toBe(33);
    while (lookups.length < 40 || answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await Promise.resolve();
    }
    await Promise.all(found);
  });
});
