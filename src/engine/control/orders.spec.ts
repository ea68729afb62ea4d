import { expect, it } from 'vitest';
import { newUrl } from '../../../test/support/frontier-samples.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openSqliteInProcess } from '../../adapters/storage/sqlite/sqlite-in-process.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { instant, minutes } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { UrlCommand } from '../crawl/outcome/decision.js';
import { type LedgerEntry, StoreUnavailable } from '../ports/frontier-store.js';
import { Orders } from './orders.js';

const HOST = 'a.example';
const slot = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const held = (uri: string, id: number): LedgerEntry => ({
  id,
  crawler: 'test',
  uri,
  hostKey: HOST,
  kind: 'delete',
  reason: 'http-5xx',
  state: 'held',
  decidedAt: instant(0),
  attempts: 0,
});

it('what is released is sent, a bounded part at once, also when the store is locked or a page is being visited', async () => {
  const store = await openSqliteInProcess(':memory:');
  const clock = new ManualClock();
  const uris = Array.from({ length: 700 }, (_, i) => `https://${HOST}/${i}`);
  await store.discover(uris.map((uri) => newUrl(uri, { crawler: 'test' })));
  await store.saveOrders(uris.map((uri, i) => held(uri, i + 1)));
  const fates: ('locked' | 'in flight')[] = [...uris.map(() => 'locked' as const), 'in flight', 'in flight'];
  let deciding = 0;
  let most = 0;
  const decide = async (_: UrlState, word: UrlCommand): Promise<boolean> => {
    most = Math.max(most, ++deciding);
    await slot();
    deciding--;
    const fate = fates.shift();
    if (fate === 'locked') throw new StoreUnavailable('the database is locked');
    if (fate === 'in flight') return false;
    if (word.do === 'send-again') await store.saveOrders([{ ...word.entry, state: 'acknowledged' }]);
    return true;
  };
  const crawler = { decide } as unknown as Crawler;
  const unexpected = () => expect.unreachable();
  const log = { debug: unexpected, info: unexpected, warn: unexpected, error: unexpected };
  const orders = new Orders({ store, clock, log, listPending: async () => [], crawlers: { find: () => crawler } });

  expect(await orders.releaseHeldDeletions(HOST)).toBe(uris.length);
  for (let slots = 0; (await store.countOrders({ state: 'held' })) > 0 && slots < 20_000; slots++) {
    await slot();
    if (slots % 100 === 99) clock.advance(minutes(1));
  }
  expect(await store.countOrders({ state: 'acknowledged' })).toBe(uris.length);
  expect(most).toBe(500);
  await store.close();
});
