import { expect, it } from 'vitest';
import { type Duration, hours, minutes, seconds } from '../../../src/domain/time/units.js';
import type { FakeAnswer, FakeSite } from '../../support/fake-site.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';

const THROTTLE = seconds(2.5);
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter}.example`);

const site = (name: string): Promise<FakeSite> => startSite('127.0.0.1', name);
const redirect = (to: string): FakeAnswer => ({ status: 301, headers: { location: to } });
const attributes = `aggressive="false" throttleTimeMS="${THROTTLE}"`;
const names = Object.fromEntries([...NAMES, 'www.example'].map((name) => [name, '127.0.0.1']));
const roots = (sites: readonly FakeSite[]): string =>
  sites.map((one) => `<Root url="${one.url('/')}" site="false"/>`).join('');
const homes = (sites: readonly FakeSite[]): string[] => sites.map((one) => one.url('/')).sort();

/** Hosts whose robots.txt is that of `www`, and the times at which `www` was asked for anything. */
async function redirectingSites(robots: (now: number) => FakeAnswer) {
  const clock = new ManualClock();
  const www = await site('www.example');
  const asked: number[] = [];
  const timed = (answer: () => FakeAnswer) => () => {
    asked.push(clock.now());
    return answer();
  };
  www.set(
    '/robots.txt',
    timed(() => robots(clock.now())),
  );
  const links = Array.from({ length: 40 }, (_, i) => `<a href="/${i}">`).join('');
  www.elsewhere(() => timed(() => ({ headers: { 'content-type': 'text/html' }, body: links })));
  const sites = await Promise.all(NAMES.map(site));
  for (const one of sites) one.page('/').set('/robots.txt', redirect(www.url('/robots.txt')));
  return { clock, www, sites, asked };
}

const tooClose = (times: readonly number[], pause: Duration): number[] =>
  times.slice(1).filter((at, i) => at - times[i]! < pause);

it("when many hosts redirect robots.txt to one of them, it is requested within that host's crawl delay", async () => {
  const { clock, www, sites, asked } = await redirectingSites(() => ({ body: 'user-agent: *\ndisallow: /no' }));
  const world = await start({ names, attributes, crawler: roots([www, ...sites]), clock });
  await world.pass(minutes(1));
  expect(await world.indexed()).toEqual(expect.arrayContaining(homes(sites)));
  expect(asked.length).toBeGreaterThan(15);
  expect(tooClose(asked, THROTTLE)).toEqual([]);
});

it('Retry-After of a host to which others redirect robots.txt is respected for all of them', async () => {
  const open = new ManualClock().now() + hours(1);
  const { clock, sites, asked } = await redirectingSites((now) =>
    now < open ? { status: 429, headers: { 'retry-after': '3600' } } : { body: '' },
  );
  const world = await start({ names, attributes, crawler: roots(sites), clock });
  await world.pass(minutes(55));
  expect(asked).toHaveLength(1);
  expect(await world.indexed()).toEqual([]);
  await world.pass(minutes(20));
  expect(await world.indexed()).toEqual(homes(sites));
  expect(tooClose(asked, THROTTLE)).toEqual([]);
});

it('two hosts whose robots.txt redirect to each other have no robots.txt', async () => {
  const [one, other] = await Promise.all(NAMES.slice(0, 2).map(site));
  one!.page('/').set('/robots.txt', redirect(other!.url('/robots.txt')));
  other!.page('/').set('/robots.txt', redirect(one!.url('/robots.txt')));
  const world = await start({ names, attributes, crawler: roots([one!, other!]) });
  await world.pass(minutes(2));
  expect(await world.indexed()).toEqual(homes([one!, other!]));
});
