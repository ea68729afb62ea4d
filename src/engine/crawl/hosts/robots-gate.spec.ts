import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { hours, milliseconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { Host, Hosts } from './hosts.js';
import { RobotsGate } from './robots-gate.js';

const NO_TIME = { header: milliseconds(0), total: milliseconds(0) };
const REQUEST = { fetcher: 'default', options: {}, throttle: milliseconds(0), limit: 1, onWait: () => undefined };

const answer = (status: number, text: string, headers: Record<string, string> = {}): FetchOutcome => ({
  kind: 'response',
  status,
  headers,
  body: Buffer.from(text),
  transferred: 0,
  address: '',
  timings: NO_TIME,
});

/** A gate for hosts whose pauses do not matter. */
function gateFor(fetch: (request: { url: string }) => Promise<FetchOutcome>, clock = new ManualClock()) {
  const hosts = { recordRequestStart: async () => undefined } as unknown as Hosts;
  const gate = new RobotsGate({ fetch }, hosts, { claimHost: async () => undefined }, clock);
  return { gate, load: (name: string) => gate.load(toCrawlUrl(`http://${name}/`), new Host(name), REQUEST) };
}

it('robots.txt of the least recently used hosts is forgotten beyond the memory limit', async () => {
  const rules = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`).join('\n');
  const { gate, load } = gateFor(async ({ url }) =>
    answer(200, `user-agent: *\n${url.includes('large') ? rules : 'disallow: /x'}`),
  );
  const known = (name: string): boolean => gate.findEntry(`http://${name}`) !== undefined;
  const small = Array.from({ length: 100 }, (_, i) => `small${i}`);
  const large = Array.from({ length: 40 }, (_, i) => `large${i}`);
  for (const name of small) await load(name);
  expect(small.every(known)).toBe(true);
  for (const name of large) await load(name);
  expect(small.some(known)).toBe(false);
  const kept = large.filter(known);
  expect(kept).toEqual(large.slice(-kept.length));
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length).toBeLessThan(40);
});

it.each([300, 302])(
  'a host whose robots.txt redirects elsewhere (%d) is free meanwhile, and claimed again',
  async (status) => {
    const clock = new ManualClock();
    const [host, target] = ['a.example', 'b.example'].map((name) => new Host(name));
    const requested: string[] = [];
    const fetch = async ({ url }: { url: string }) => {
      requested.push(`${url} ${host!.activeRequests} ${target!.activeRequests}`);
      if (url.startsWith('http://b')) return answer(200, 'user-agent: *\ndisallow: /x');
      return answer(status, 'Moved', { location: 'http://b.example/robots.txt' });
    };
    const hosts = new Hosts({ saveHosts: async () => undefined } as never, clock);
    const claimHost = async (): Promise<Host> => {
      hosts.claim(target!);
      return target!;
    };
    const gate = new RobotsGate({ fetch }, hosts, { claimHost }, clock);
    hosts.claim(host!);
    await gate.load(toCrawlUrl('http://a.example/'), host!, REQUEST);
    expect(requested).toEqual(['http://a.example/robots.txt 1 0', 'http://b.example/robots.txt 0 1']);
    expect([host!.activeRequests, target!.activeRequests]).toEqual([1, 0]);
    expect(gate.getOpinion(toCrawlUrl('http://a.example/x'), 'crawlway')).toMatchObject({
      state: 'disallowed',
      line: 2,
    });
    hosts.close();
  },
);

it('the text of a response that is no robots.txt is not shown', async () => {
  const { gate, load } = gateFor(async () => answer(300, 'Several pages'));
  await load('a.example');
  expect(gate.findEntry('http://a.example')).toMatchObject({ text: '', status: '300' });
});

it('robots.txt is requested again at a limited age, and never later than it would be', async () => {
  const clock = new ManualClock();
  const { gate, load } = gateFor(async () => answer(200, 'user-agent: *\ndisallow: /x'), clock);
  const url = toCrawlUrl('http://a.example/');
  const kind = (): string => gate.checkUrl(url, 'crawlway').kind;
  await load('a.example');
  gate.limitAge(url, hours(1));
  gate.limitAge(url, hours(2));
  clock.advance(hours(1));
  expect(kind()).toBe('unknown');
});
