import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import { createBackfill, parseBackfill } from '../../domain/push/backfill.js';
import type { Crawler } from '../crawl/crawler.js';
import { BackfillRun } from './backfill-run.js';

const SETTING = 'backfill/docs/added';

it('a run that is stopped after any document goes on there later, and sends each one', async () => {
  const pages = Array.from({ length: 250 }, (_, i) => state({ id: i + 1, url: `http://a.example/${i}`, stamp: 's' }));
  for (const stopAfter of [1, 100, 150, 250]) {
    const clock = new ManualClock();
    const settings = new Map([[SETTING, JSON.stringify(createBackfill('added', pages.length, clock.now()))]]);
    const sent = new Set<number>();
    let run = new AbortController();
    let isStopped = false;
    const crawler = {
      name: 'docs',
      context: { definition: { pushTo: ['added'] } },
      decide: async ({ id }: { id: number }) => {
        sent.add(id);
        if (sent.size === stopAfter && !isStopped) run.abort();
        isStopped ||= run.signal.aborted;
        return true;
      },
    } as unknown as Crawler;
    const services = {
      clock,
      log: { info: () => undefined },
      findSink: () => undefined,
      store: {
        getSetting: async (name: string) => settings.get(name),
        putSetting: async (name: string, value: string) => void settings.set(name, value),
        get: async (ids: readonly number[]) => pages.filter(({ id }) => ids.includes(id)),
        list: async ({ indexed }: { indexed?: boolean }, after: number, limit: number) =>
          indexed ? pages.slice(after, after + limit) : [],
      },
    } as never;
    const execute = (signal: AbortSignal) =>
      new BackfillRun(services, { crawler, sink: 'added', setting: SETTING, signal }).execute();
    await execute(run.signal);
    expect(parseBackfill(settings.get(SETTING)!)).toMatchObject({ state: 'running', pass: 'all' });
    run = new AbortController();
    await execute(run.signal);
    expect(sent.size).toBe(pages.length);
    expect(parseBackfill(settings.get(SETTING)!)).toMatchObject({ state: 'done', done: 250, sent: 250 });
  }
});
