import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { minutes } from '../../domain/time/units.js';
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

it('a URL in flight is judged when its visit has ended', async () => {
  const clock = new ManualClock();
  const settings = new Map<string, string>();
  const state = { id: 7, url: 'https://a.example/', hops: 0, status: 'indexed' } as UrlState;
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value?: string) =>
      void (value === undefined ? settings.delete(name) : settings.set(name, value)),
    list: async (_: object, after: number) => {
      wasUnfinished.push(await rejudging.isUnfinished('test'));
      return after === 0 ? [state] : [];
    },
    get: async () => [state],
  };
  const wasUnfinished: boolean[] = [];
  let isInFlight = true;
  let judged = 0;
  const verdict = { accepted: false, reason: 'crawl-space', keepDocument: false, effects: { options: {} } };
  const crawler = {
    name: 'test',
    urlsInFlight: [],
    isInFlight: () => isInFlight,
    context: { definition: crawlerDefinition(), policy: { judge: () => verdict }, roots: new KnownRoots() },
    decide: async () => {
      if (!isInFlight) judged++;
      return !isInFlight;
    },
  };
  const rejudging: Rejudging = new Rejudging({ store, clock } as never);
  const work = rejudging.apply(crawler as unknown as Crawler, new AbortController().signal);
  await clock.pass(minutes(1));
  expect([judged, await rejudging.isUnfinished('test')]).toEqual([0, true]);
  expect(wasUnfinished, 'also while the first URLs are read').toEqual([true]);
  isInFlight = false;
  await clock.pass(minutes(1));
  await work;
  expect([judged, await rejudging.isUnfinished('test')]).toEqual([1, false]);
});
