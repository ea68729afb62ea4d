import { describe, expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { discovered, newUrl, order } from '../../../../test/support/frontier-samples.js';
import { instant } from '../../../domain/time/units.js';
import { NO_URL } from '../../../engine/ports/frontier-store.js';
import type { OwedChange } from '../../../engine/ports/owed-orders.js';

const owed = (orderId: number, more: Partial<OwedChange> = {}): OwedChange => ({
  change: 'put off',
  crawler: 'docs',
  sink: 'slow',
  uri: `http://a.example/${orderId}`,
  hostKey: 'a.example',
  orderId,
  since: instant(orderId * 10),
  ...more,
});
const uri = 'http://a.example/1';

describe.each(DATABASES)('what sinks are owed, on $name', ({ open }) => {
  it('is written with the settlement, listed in the order in which it was put off, and kept across a restart', async () => {
    const { store, restart } = await open();
    const [a] = await discovered(store, newUrl(uri));
    await store.settle([
      { id: a!.id, changes: { stamp: 's' }, orders: [order(1, { uri })], owed: [owed(1), owed(1, { sink: 'down' })] },
      { id: NO_URL, owed: [owed(3), owed(2), owed(4, { crawler: 'news' })] },
    ]);
    const again = await restart();
    expect((await again.listOwed('docs', 'slow', 0, 10)).map(({ orderId }) => orderId)).toEqual([1, 2, 3]);
    expect((await again.listOwed('docs', 'slow', 1, 1)).map(({ orderId }) => orderId)).toEqual([2]);
    const { change: _, ...first } = owed(1);
    expect(await again.findOwed('docs', 'a.example', uri)).toEqual([
      { ...first, sink: 'down', askedAt: undefined },
      { ...first, askedAt: undefined },
    ]);
    expect([...(await again.countOwed())].sort((x, y) => x.since - y.since || y.documents - x.documents)).toEqual([
      { crawler: 'docs', sink: 'slow', documents: 3, since: 10 },
      { crawler: 'docs', sink: 'down', documents: 1, since: 10 },
      { crawler: 'news', sink: 'slow', documents: 1, since: 40 },
    ]);
    await again.dropOwed('docs', 'slow');
    expect((await again.countOwed()).map(({ crawler, sink }) => `${crawler} ${sink}`).sort()).toEqual([
      'docs down',
      'news slow',
    ]);
    // Its count is gone.
    await again.settle([{ id: NO_URL, owed: [owed(9)] }]);
    expect(await again.countOwed()).toContainEqual({ crawler: 'docs', sink: 'slow', documents: 1, since: 90 });
  });

  it('has one row per URI, owed from its first order until its newest one', async () => {
    const { store } = await open();
    const rows = () => store.listOwed('docs', 'slow', 0, 10);
    await store.settle([{ id: NO_URL, owed: [owed(1)] }]);
    await store.settle([{ id: NO_URL, owed: [owed(1, { change: 'asked', askedAt: instant(50) })] }]);
    expect(await rows()).toMatchObject([{ orderId: 1, askedAt: 50 }]);
    await store.settle([{ id: NO_URL, owed: [owed(7, { uri })] }]);
    expect(await rows()).toMatchObject([{ orderId: 7, since: 10, askedAt: undefined }]);
    // A late change does not affect the newer order.
    for (const change of ['put off', 'delivered', 'asked'] as const)
      await store.settle([{ id: NO_URL, owed: [owed(6, { uri, change, askedAt: instant(70) })] }]);
    expect(await rows()).toMatchObject([{ orderId: 7, askedAt: undefined }]);
    expect(await store.countOwed()).toEqual([{ crawler: 'docs', sink: 'slow', documents: 1, since: 10 }]);
    await store.settle([{ id: NO_URL, owed: [owed(8, { uri, change: 'delivered' })] }]);
    expect(await rows()).toEqual([]);
    expect(await store.countOwed()).toEqual([]);
  });

  it('has counts that equal its rows, whatever one batch contains', async () => {
    const { store } = await open();
    const other = { hostKey: 'b.example', uri: 'http://b.example/' };
    await store.settle([
      { id: NO_URL, owed: [owed(1), owed(2), owed(3), owed(4, other), owed(5, { ...other, sink: 'down' })] },
      { id: NO_URL, owed: [owed(6, { uri }), owed(7, { uri: owed(2).uri, change: 'delivered' })] },
    ]);
    await store.settle([
      { id: NO_URL, owed: [owed(8, { uri }), owed(9), owed(10, { uri: owed(3).uri, change: 'delivered' })] },
      // This order is not owed.
      { id: NO_URL, owed: [owed(11, { change: 'delivered' })] },
    ]);
    const counts = await store.countOwed();
    expect(Object.fromEntries(counts.map(({ sink, documents }) => [sink, documents]))).toEqual({ slow: 3, down: 1 });
    expect(await store.listOwed('docs', 'slow', 0, 10)).toHaveLength(3);
  });

  it('owes an order that was put off while an older one was answered', async () => {
    const { store } = await open();
    await store.settle([{ id: NO_URL, owed: [owed(1)] }]);
    await store.settle([
      { id: NO_URL, owed: [owed(8, { uri })] },
      { id: NO_URL, owed: [owed(7, { uri, change: 'delivered' })] },
    ]);
    expect(await store.listOwed('docs', 'slow', 0, 10)).toMatchObject([{ orderId: 8 }]);
    expect(await store.countOwed()).toMatchObject([{ documents: 1 }]);
  });
});
