import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Crawler } from '../crawl/crawler.js';
import { KnownRoots } from '../page/crawl-context.js';
import { listStoredUrls, Rejudging } from './rejudging.js';

it('a run that is replaced by another one leaves no progress behind', async () => {
  const settings = new Map<string, string>();
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string) => void settings.set(name, value),
    list: async () => [{ id: 7, url: 'https://a.example/', hops: 0, status: 'indexed' }],
  };
  const run = new AbortController();
  const judge = () => ({
    accepted: false,
    reason: 'crawl-space',
    keepDocument: true,
    effects: { options: {}, priorityShift: 0 },
  });
  const crawler = {
    name: 'test',
    context: { definition: crawlerDefinition(), policy: { judge }, roots: new KnownRoots() },
    decide: async () => {
      settings.set('rejudging/test', '0');
      run.abort();
      return true;
    },
  };
  const services = { store, clock: new ManualClock() } as unknown as ConstructorParameters<typeof Rejudging>[0];
  await new Rejudging(services).apply(crawler as unknown as Crawler, run.signal);
  expect(settings.get('rejudging/test')).toBe('0');
});

it('every stored URL is listed once, however many there are', async () => {
  const stored = Array.from({ length: 1_001 }, (_, i) => ({ id: i + 1 }) as UrlState);
  const list = async (_: object, after: number, limit: number) => stored.slice(after, after + limit);
  const listed: UrlState[] = [];
  for await (const states of listStoredUrls({ list }, 'test')) listed.push(...states);
  expect(listed).toEqual(stored);
});
