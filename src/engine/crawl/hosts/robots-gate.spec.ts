import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { milliseconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { Host, type Hosts } from './hosts.js';
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
