import { expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import type { LedgerEntry } from '../ports/frontier-store.js';
import { IndexChanges } from './index-changes.js';

/** The answer from a ledger with so many acknowledged deletions, the newest first, one a millisecond. */
function changesOf(uris: readonly string[], since = 0) {
  const orders = uris.map(
    (uri, i) =>
      ({
        id: uris.length - i,
        crawler: 'docs',
        uri,
        kind: 'delete',
        reason: 'http-404',
        state: 'acknowledged',
        decidedAt: uris.length - i,
      }) as LedgerEntry,
  );
  const store = {
    listOrders: async (_: unknown, last = uris.length + 1, count: number) =>
      orders.slice(uris.length + 1 - last, uris.length + 1 - last + count),
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

it('sections with as many changes are sorted by name', async () => {
  const { sections } = await changesOf(['http://c/x/', 'http://a/x/', 'http://b/x/', 'http://b/x/y'], 0);
  expect(sections.map(({ section }) => section)).toEqual(['b/x/', 'a/x/', 'c/x/']);
});
