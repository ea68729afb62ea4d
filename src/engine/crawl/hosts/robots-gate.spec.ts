import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { milliseconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { Host, Hosts } from './hosts.js';
import { RobotsGate } from './robots-gate.js';

const NO_TIME = { header: milliseconds(0), total: milliseconds(0) };

it('robots.txt of the least recently used hosts is forgotten beyond the memory limit', async () => {
  const rules = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`).join('\n');
  const answer = (body: string): FetchOutcome => ({
    kind: 'response',
    status: 200,
    headers: {},
    body: Buffer.from(`user-agent: *\n${body}`),
    transferred: 0,
    address: '',
    timings: NO_TIME,
  });
  const fetch = async ({ url }: { url: string }) => answer(url.includes('large') ? rules : 'disallow: /x');
  const hosts = { recordRequestStart: async () => undefined } as unknown as Hosts;
  const gate = new RobotsGate({ fetch }, hosts, { claimHost: async () => undefined }, new ManualClock());
  const known = (name: string): boolean => gate.findEntry(`http://${name}`) !== undefined;
  const load = (name: string) =>
    gate.load(toCrawlUrl(`http://${name}/`), new Host(name), {
      fetcher: 'default',
      throttle: milliseconds(0),
      limit: 1,
      onWait: () => undefined,
    });

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
    const answer = (code: number, headers: Record<string, string>, text: string): FetchOutcome => ({
      kind: 'response',
      status: code,
      headers,
      body: Buffer.from(text),
      transferred: 0,
      address: '',
      timings: NO_TIME,
    });
    const fetch = async ({ url }: { url: string }) => {
      requested.push(`${url} ${host!.activeRequests} ${target!.activeRequests}`);
      if (url.startsWith('http://b')) return answer(200, {}, 'user-agent: *\ndisallow: /x');
      return answer(status, { location: 'http://b.example/robots.txt' }, 'Moved');
    };
    const hosts = new Hosts({ saveHosts: async () => undefined } as never, clock);
    const claimHost = async (): Promise<Host> => {
      hosts.claim(target!);
      return target!;
    };
    const gate = new RobotsGate({ fetch }, hosts, { claimHost }, clock);
    hosts.claim(host!);
    const request = { fetcher: 'default', throttle: milliseconds(0), limit: 1, onWait: () => undefined };
    await gate.load(toCrawlUrl('http://a.example/'), host!, request);
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
  const clock = new ManualClock();
  const fetch = async (): Promise<FetchOutcome> => ({
    kind: 'response',
    status: 300,
    headers: {},
    body: Buffer.from('Several pages'),
    transferred: 0,
    address: '',
    timings: NO_TIME,
  });
  const hosts = { recordRequestStart: async () => undefined } as unknown as Hosts;
  const gate = new RobotsGate({ fetch }, hosts, { claimHost: async () => undefined }, clock);
  const request = { fetcher: 'default', throttle: milliseconds(0), limit: 1, onWait: () => undefined };
  await gate.load(toCrawlUrl('http://a.example/'), new Host('a.example'), request);
  expect(gate.findEntry('http://a.example')).toMatchObject({ text: '', status: '300' });
});
