import { expect, it } from 'vitest';
import { discovered, newUrl } from '../../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { AWAITING_TARGET } from '../../../domain/crawl/revisit.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { instant } from '../../../domain/time/units.js';
import { countProgress, PageMoves } from './page-moves.js';

it('three pages of a host that redirect to addresses of their own are a move, which is reported once', async () => {
  const settings = new Map<string, string>();
  const events: object[] = [];
  const services = {
    store: {
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string) => void settings.set(name, value),
    },
    clock: new ManualClock(),
    events: { emit: (event: object) => void events.push(event) },
    log: { info: () => undefined },
  } as never;
  const moves = new PageMoves('docs', services);
  for (const page of ['a', 'b', 'b', 'c', 'd']) {
    expect(events).toHaveLength(page === 'd' ? 1 : 0);
    const state = { url: `http://old.example/x/${page}`, hostKey: 'old.example' } as UrlState;
    await moves.noteDeparture(state, `https://new.example/${page}`);
  }
  const facts = { crawler: 'docs', root: 'http://old.example/x/', target: 'https://new.example/*' };
  expect(events).toEqual([{ type: 'move', ...facts, reason: 'redirected' }]);
});

it('of a move, the pages that have arrived, wait for their new address, fail there, lead nowhere and were not visited are counted', async () => {
  const store = await openStoreInThisThread();
  const since = instant(1_000);
  const moved = { status: 'redirected', reason: 'redirected', stamp: null, lastVisitAt: since } as const;
  const kept = { status: 'indexed', stamp: 's', lastVisitAt: since } as const;
  const pages = [
    moved,
    moved,
    moved, // leads nowhere, and its document was deleted
    { ...kept, reason: AWAITING_TARGET },
    { ...kept, reason: 'redirect-target-failed' },
    { ...kept, reason: 'redirect-target-failed' },
    { ...kept, reason: 'indexed', lastVisitAt: instant(999) },
    { ...kept, reason: 'indexed' },
    // Its visit was before the move.
    { ...moved, lastVisitAt: instant(999) },
    // Pages that wait without a document of their own are no pages of the move.
    { ...moved, reason: AWAITING_TARGET },
    { ...moved, reason: AWAITING_TARGET },
    { ...moved, reason: 'redirect-target-failed' },
    { ...moved, lastVisitAt: instant(999), status: 'visited' },
  ] as const;
  const urls = pages.map((_, i) => newUrl(`http://old.example/x/${i}`));
  const states = await discovered(store, ...urls, newUrl('http://old.example/other'));
  await store.settle(pages.map((changes, i) => ({ id: states[i]!.id, changes })));
  const move = { from: 'http://old.example/x/', to: 'https://new.example/', since, nowhere: [urls[2]!.url] };
  const progress = await countProgress(store, 'docs', urls[0]!.hostKey, move);
  expect(progress).toEqual({ done: 2, waiting: 1, failing: 2, total: 2 + 1 + 2 + 1 + 1 });
  await store.close();
});
