import { expect, it } from 'vitest';
import { ORDER_BLOCK_SIZE } from '../../domain/push/order.js';
import { instant } from '../../domain/time/units.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import { IndexChanges } from './index-changes.js';

/** The answer from a ledger with so many acknowledged deletions, the newest first; unless said otherwise, one a millisecond. */
function changesOf(
  uris: readonly string[],
  since = 0,
  getPlace = (i: number) => ({ id: uris.length - i, decidedAt: uris.length - i }),
) {
  const orders = uris.map(
    (uri, i) =>
      ({
        ...getPlace(i),
        crawler: 'docs',
        uri,
        kind: 'delete',
        reason: 'http-404',
        state: 'acknowledged',
      }) as LedgerEntry,
  );
  const store = {
    listOrders: async (_: unknown, before = Number.POSITIVE_INFINITY, count: number) =>
      orders.filter(({ id }) => id < before).slice(0, count),
    find: async () => undefined,
  };
  const changes = new IndexChanges({ store, clock: { now: () => instant(uris.length) } } as never);
  return changes.list({ since: instant(since), limit: 1 });
}

const pages = (count: number) => Array.from({ length: count }, (_, i) => `http://a.example/${i}`);

it('changes are read as far back as wanted, and as far as so many orders allow', async () => {
  expect(await changesOf(pages(5_000))).toMatchObject({ counts: { gone: 5_000 }, complete: true });
  expect(await changesOf(pages(5_000), 2_500)).toMatchObject({ counts: { gone: 2_501 }, complete: true });
  expect(await changesOf(pages(200_001))).toMatchObject({ complete: false });
});

it('changes of another node are read, however many older ones of this node have higher ids', async () => {
  const getPlace = (i: number) =>
    i < 2_500 ? { id: 8 * ORDER_BLOCK_SIZE - i, decidedAt: 1 } : { id: 7 * ORDER_BLOCK_SIZE - i, decidedAt: 9 };
  expect(await changesOf(pages(2_510), 5, getPlace)).toMatchObject({ counts: { gone: 10 }, complete: true });
});

it('sections with as many changes are sorted by name', async () => {
  const { sections } = await changesOf(['http://c/x/', 'http://a/x/', 'http://b/x/', 'http://b/x/y'], 0);
  expect(sections.map(({ section }) => section)).toEqual(['b/x/', 'a/x/', 'c/x/']);
});
