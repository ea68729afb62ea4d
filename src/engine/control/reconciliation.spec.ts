import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import type { UrlState } from '../../domain/crawl/url-state.js';

import { Reconciliation } from './reconciliation.js';

const URI = 'http://a.example/x';

/** Compares and repairs a sink with these documents of `a`, `b` and the former crawler `c`, which know these URLs. */
async function reconcile(
  held: readonly { uri: string; stamp: string }[],
  urls: readonly Partial<UrlState>[],
  inFlight = false,
) {
  const states = urls.map((parts, i) => state({ id: i + 1, crawler: 'a', url: URI, ...parts }));
  const repairs: string[] = [];
  const crawlers = ['a', 'b', 'c'].map((name) => ({
    name,
    context: { definition: { pushTo: ['main'] } },
    isInFlight: () => inFlight,
    applyCorrection: async ({ url }: UrlState) => repairs.push(`${name} visits ${url}`),
    runWhileHeld: async (held: UrlState, work: (held: UrlState) => Promise<unknown>) => work(held),
  }));
  const reconciliation = new Reconciliation({
    clock: new ManualClock(),
    crawlers: { listStored: () => crawlers, findFormer: (name: string) => (name === 'c' ? crawlers[2] : undefined) },
    partitions: { owns: () => true },
    findSink: () => ({
      async *listEntries() {
        yield* held;
      },
    }),
    store: {
      find: async (crawler: string, url: string) => states.find((one) => one.crawler === crawler && one.url === url),
      list: async ({ crawler }: { crawler: string }, last: number) =>
        states.filter((one) => one.crawler === crawler && one.id > last && one.stamp !== undefined),
      saveOrders: async () => undefined,
    },
    ledger: { createUriDeleteOrder: (target: object) => target, toEntry: (target: object) => target },
    delivery: {
      deliver: async ({ uri }: { uri: string }) => {
        repairs.push(`delete ${uri}`);
        return { answer: { state: 'acknowledged' }, attempts: 1, putOff: [] };
      },
    },
  } as never);
  const { missing, extra, stale, inFlight: moving } = await reconciliation.run('main', true);
  return { missing: missing.count, extra: extra.count, stale: stale.count, moving, repairs };
}

describe('a document that the sink holds', () => {
  const none = { missing: 0, extra: 0, stale: 0, moving: 0, repairs: [] };
  const held = [{ uri: URI, stamp: 's' }];

  it('is right if it is the one of the crawler', async () =>
    expect(await reconcile(held, [{ stamp: 's' }])).toEqual(none));

  it('is right if it is the one of either crawler that pushes it', async () =>
    expect(await reconcile(held, [{ stamp: 'other' }, { crawler: 'b', stamp: 's' }])).toEqual(none));

  it('is extra if no crawler knows its URL, or none has a document of it', async () => {
    const extra = { ...none, extra: 1, repairs: [`delete ${URI}`] };
    expect(await reconcile(held, [])).toEqual(extra);
    expect(await reconcile(held, [{}])).toEqual(extra);
  });

  it('is out of date if it is an earlier one, unless a newer one is on its way', async () => {
    const stale = { ...none, stale: 1, repairs: [`a visits ${URI}`] };
    expect(await reconcile(held, [{ stamp: 'new' }])).toEqual(stale);
    expect(await reconcile(held, [{ stamp: 'new' }], true)).toEqual(none);
  });

  it('stays as it is if it belongs to a former crawler alone', async () => {
    expect(await reconcile(held, [{ crawler: 'c', stamp: 'other' }])).toEqual(none);
    const stale = { ...none, stale: 1, repairs: [`b visits ${URI}`] };
    expect(
      await reconcile(held, [
        { crawler: 'c', stamp: 's2' },
        { crawler: 'b', stamp: 'new' },
      ]),
    ).toEqual(stale);
  });

  it('is the business of the crawler to which it was left, whatever another crawler knows of its URL', async () => {
    const left = { status: 'elsewhere', stamp: 'other' } as const;
    expect(await reconcile(held, [left])).toEqual(none);
    expect(await reconcile(held, [{}, { ...left, crawler: 'b' }])).toEqual(none);
    const stale = { ...none, stale: 1, repairs: [`b visits ${URI}`] };
    expect(await reconcile(held, [left, { crawler: 'b', stamp: 'new' }])).toEqual(stale);
  });
});

it('a document is missing if the sink lacks it or a part of it, unless it is on its way', async () => {
  const page = { stamp: 's', parts: [{ id: 'p', stamp: 'q' }] } as unknown as Partial<UrlState>;
  expect(await reconcile([], [page])).toMatchObject({ missing: 1, repairs: [`a visits ${URI}`] });
  expect(await reconcile([{ uri: URI, stamp: 's' }], [page])).toMatchObject({ missing: 1, extra: 0 });
  expect(await reconcile([], [page], true)).toMatchObject({ missing: 0, moving: 1, repairs: [] });
  for (const other of [{ status: 'elsewhere' }, { crawler: 'c' }] as const)
    expect(await reconcile([], [{ stamp: 's', ...other }])).toMatchObject({ missing: 0, repairs: [] });
});
