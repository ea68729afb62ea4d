import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { SOLE_OWNER } from '../support/single-node.js';
import { HostViews } from './host-views.js';

const services = {
  partitions: SOLE_OWNER,
  clock: new ManualClock(),
  hosts: { peek: () => undefined },
  crawlers: { list: () => [{ name: 'docs' }, { name: 'news' }] },
  store: { count: async () => 0, countIndexedOfHost: async () => 0, list: async () => [], loadHosts: async () => [] },
};

it('the counts of a host are those of all crawlers together', async () => {
  const counts: Record<string, number> = { docs: 3, news: 4 };
  const count = async ({ crawler, status, queued }: { crawler: string; status?: string; queued?: boolean }) =>
    counts[crawler]! * (status ? 100 : queued ? 1_000 : 1);
  const store = {
    count: async (filter: never) => ((('reason' in filter) as boolean) ? 0 : count(filter)),
    countIndexedOfHost: async (crawler: string) => counts[crawler]! * 10,
    list: async () => [],
    loadHosts: async () => [],
  };
  const host = new HostViews({ ...services, store, notes: { get: () => undefined } } as never);
  expect(await host.get('a.example')).toMatchObject({
    urls: 7,
    indexed: 70,
    errors: 700,
    queued: 7_000,
    paused: false,
  });
});

it('what is decided about rendering is said of the pattern of a URL, or of a pattern that may contain one', async () => {
  const decided: string[] = [];
  const rendered = { overrides: { set: async (_: string, pattern: string) => decided.push(pattern) } };
  const views = new HostViews({ ...services, rendered } as never);
  await views.overruleRendering('a.example', 'http://a.example/product/17', 'always' as never);
  await views.overruleRendering('a.example', '/out/http://b.example/N', 'always' as never);
  expect(decided).toEqual(['/product/N', '/out/http://b.example/N']);
  await expect(views.overruleRendering('a.example', 'product/N', undefined)).rejects.toThrow('is neither a pattern');
});

it('a host of which no URL is known is not shown and not paused', async () => {
  const views = new HostViews(services as never);
  await expect(views.get('a.example')).rejects.toThrow('no URL of the host a.example is known');
  await expect(views.setPaused('a.example', true)).rejects.toThrow('no URL of the host a.example is known');
});
