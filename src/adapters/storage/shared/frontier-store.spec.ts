import { describe, expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { discovered, newUrl, order, visit } from '../../../../test/support/frontier-samples.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { instant, milliseconds } from '../../../domain/time/units.js';

const now = instant(1_000_000);
const nothing: ReadonlySet<number> = new Set();
const hrefs = (states: readonly UrlState[]): string[] => states.map(({ url }) => url);

describe.each(DATABASES)('the store on $name', ({ open }) => {
  describe('discover', () => {
    it('returns new URLs, in the order given, with all their fields', async () => {
      const { store } = await open();
      const metas = [{ name: 'team', value: 'search' }];
      const [b, a] = await store.discover([
        newUrl('http://b.example/', { foundOn: 'http://a.example/', root: 'http://a.example/', inheritedMetas: metas }),
        newUrl('http://a.example/', {
          hops: 2,
          redirects: 1,
          discoveredVia: 'redirect',
          source: 1,
          dueAt: instant(77),
        }),
      ]);
      expect(b).toMatchObject({
        url: 'http://b.example/',
        hostKey: 'b.example',
        root: 'http://a.example/',
        inheritedMetas: metas,
      });
      expect(a).toMatchObject({
        hops: 2,
        redirects: 1,
        discoveredVia: 'redirect',
        source: 1,
        dueAt: 77,
        firstSeenAt: 77,
        visits: 0,
      });
      expect(await store.get([b!.id, a!.id])).toEqual([b, a]);
    });

    it('stores a URL once when one batch, or concurrent batches, name it several times', async () => {
      const { store } = await open();
      const url = newUrl('http://a.example/');
      const answers = await Promise.all([store.discover([url, url]), store.discover([url]), store.discover([url])]);
      expect(answers.flat()).toHaveLength(1);
      expect(await store.count({})).toBe(1);
    });

    it('does not change a known URL, whatever the link says', async () => {
      const { store } = await open();
      const [known] = await discovered(store, newUrl('http://a.example/'));
      await store.settle([{ id: known!.id, changes: { status: 'error', reason: 'http-404', source: null } }]);
      const before = await store.get([known!.id]);
      expect(
        await store.discover([
          newUrl('http://a.example/', { source: 0, hops: 0, dueAt: instant(5), reason: 'redirect-target' }),
        ]),
      ).toEqual([]);
      expect(await store.get([known!.id])).toEqual(before);
    });

    it('finds the URLs of one host and crawler by their keys', async () => {
      const { store } = await open();
      const urls = ['http://a.example/', 'http://a.example/x', 'http://b.example/'].map((url) => newUrl(url));
      await discovered(store, ...urls, newUrl('http://a.example/', { crawler: 'news' }));
      const keys = BigInt64Array.from([...urls.map(({ key }) => key), 77n]);
      const found = await store.findByKeys('docs', 'a.example', keys);
      expect(hrefs(found).sort()).toEqual(['http://a.example/', 'http://a.example/x']);
      expect(found.every(({ crawler }) => crawler === 'docs')).toBe(true);
      expect(await store.findByKeys('docs', 'c.example', keys)).toEqual([]);
    });

    it('keeps the URLs of crawlers separate', async () => {
      const { store } = await open();
      await discovered(store, newUrl('http://a.example/'), newUrl('http://a.example/', { crawler: 'news' }));
      expect(await store.find('news', 'http://a.example/')).toMatchObject({ crawler: 'news' });
      expect((await store.countByStatus('docs')).byStatus.waiting).toBe(1);
    });

    it('records a filtered URL without queueing it', async () => {
      const { store } = await open();
      await discovered(
        store,
        newUrl('http://a.example/', { status: 'filtered', source: undefined, reason: 'condition-filtered' }),
      );
      expect((await store.listBacklogs('docs', now, undefined, 10)).backlogs).toEqual([]);
      expect((await store.countByStatus('docs')).byStatus.filtered).toBe(1);
    });
  });

  describe('seed', () => {
    it('queues a known URL again and makes it a root', async () => {
      const { store } = await open();
      const [known] = await discovered(store, newUrl('http://a.example/', { hops: 7 }));
      await store.settle([{ id: known!.id, changes: { status: 'error', reason: 'http-404', source: null } }]);
      const root = newUrl('http://a.example/', {
        source: 0,
        hops: 0,
        discoveredVia: 'root',
        dueAt: now,
        root: 'http://a.example/',
      });
      const [seeded, fresh] = await store.seed([root, newUrl('http://b.example/', { source: 0 })]);
      expect(seeded).toMatchObject({
        known: true,
        state: { id: known!.id, status: 'error', source: 0, hops: 0, discoveredVia: 'root', dueAt: now },
      });
      expect(fresh).toMatchObject({ known: false, state: { url: 'http://b.example/' } });
      expect((await store.listDue('docs', 'a.example', 0, now, 10, nothing)).urls).toEqual([seeded!.state]);
    });
  });

  describe('due', () => {
    it('returns URLs first in first out per host and source: by due time, then by id', async () => {
      const { store } = await open();
      await discovered(
        store,
        newUrl('http://a.example/3', { dueAt: instant(30) }),
        newUrl('http://a.example/1', { dueAt: instant(10) }),
        newUrl('http://a.example/2a', { dueAt: instant(20) }),
        newUrl('http://a.example/2b', { dueAt: instant(20) }),
        newUrl('http://a.example/other-source', { dueAt: instant(1), source: 2 }),
        newUrl('http://b.example/other-host', { dueAt: instant(1) }),
        newUrl('http://a.example/other-crawler', { dueAt: instant(1), crawler: 'news' }),
      );
      const { urls, next } = await store.listDue('docs', 'a.example', 3, now, 10, nothing);
      expect(hrefs(urls)).toEqual([
        'http://a.example/1',
        'http://a.example/2a',
        'http://a.example/2b',
        'http://a.example/3',
      ]);
      expect(next).toBeUndefined();
    });

    it('withholds URLs that are not due yet and returns when they will be', async () => {
      const { store } = await open();
      await discovered(
        store,
        newUrl('http://a.example/now', { dueAt: now }),
        newUrl('http://a.example/later', { dueAt: instant(now + 1) }),
      );
      const { urls, next } = await store.listDue('docs', 'a.example', 3, now, 10, nothing);
      expect(hrefs(urls)).toEqual(['http://a.example/now']);
      expect(next).toBe(now + 1);
    });

    it('skips URLs in flight and still fills the limit', async () => {
      const { store } = await open();
      const states = await discovered(
        store,
        ...Array.from({ length: 40 }, (_, i) => newUrl(`http://a.example/${i}`, { dueAt: instant(i) })),
      );
      const leased = new Set(states.slice(0, 30).map(({ id }) => id));
      const { urls, next } = await store.listDue('docs', 'a.example', 3, now, 5, leased);
      expect(urls).toEqual(states.slice(30, 35));
      expect(next).toBe(35);
      const rest = await store.listDue('docs', 'a.example', 3, now, 5, new Set(states.map(({ id }) => id)));
      expect(rest).toEqual({ urls: [], next: undefined });
    });

    it('returns nothing for an unknown host', async () => {
      const { store } = await open();
      expect(await store.listDue('docs', 'nowhere.example', 3, now, 5, nothing)).toEqual({ urls: [] });
    });
  });

  describe('settle', () => {
    it('changes the fields given, clears those that are null and leaves the others', async () => {
      const { store } = await open();
      const [url] = await discovered(store, newUrl('http://a.example/'));
      const full = {
        status: 'indexed',
        reason: 'accepted',
        source: 5,
        dueAt: instant(5_000),
        lastVisitAt: instant(2_000),
        lastStatus: 200,
        temporaryErrors: 2,
        permanentError: true,
        visits: 3,
        changes: 2,
        lastChangeAt: instant(1_500),
        changeInterval: milliseconds(86_400_000),
        changeUncertainty: 0.123_456_789,
        etag: '"1"',
        lastModified: 'Tue, 04 Nov 2025 10:00:00 GMT',
        stamp: 'abc',
        simhash: -9_223_372_036_854_775_807n,
        contentType: 'text/html',
        title: 'Title',
        pendingDeletion: 'http-404',
      } as const;
      await store.settle([{ id: url!.id, changes: full }]);
      expect(await store.get([url!.id])).toEqual([{ ...url, ...full }]);
      const cleared = {
        source: null,
        lastStatus: null,
        etag: null,
        lastModified: null,
        stamp: null,
        simhash: null,
        contentType: null,
        title: null,
        pendingDeletion: null,
      };
      await store.settle([{ id: url!.id, changes: { ...cleared, permanentError: false } }]);
      const emptied = Object.fromEntries(Object.keys(cleared).map((field) => [field, undefined]));
      expect(await store.get([url!.id])).toEqual([{ ...url, ...full, ...emptied, permanentError: false }]);
    });

    it('stores state, visit and orders together', async () => {
      const { store } = await open();
      const [url] = await discovered(store, newUrl('http://a.example/'));
      await store.settle([
        {
          id: url!.id,
          changes: { status: 'indexed', stamp: 'x' },
          visit: visit(10),
          orders: [order(1, { answer: 'ok', stamp: 'x', answeredAt: instant(9) })],
        },
      ]);
      expect(await store.listVisits(url!.id, 10)).toEqual([visit(10)]);
      expect(await store.getOrder(1)).toEqual(order(1, { answer: 'ok', stamp: 'x', answeredAt: instant(9) }));
      expect(await store.countIndexedOfHost('docs', 'a.example')).toBe(1);
    });

    it('removes the status with its visits, so that a URL that is found again is new', async () => {
      const { store } = await open();
      const [url] = await discovered(store, newUrl('http://a.example/'));
      await store.settle([{ id: url!.id, visit: visit(10) }]);
      await store.settle([{ id: url!.id, remove: true, orders: [order(4, { kind: 'delete' })] }]);
      expect(await store.find('docs', 'http://a.example/')).toBeUndefined();
      expect(await store.listVisits(url!.id, 10)).toEqual([]);
      expect(await store.getOrder(4)).toMatchObject({ kind: 'delete' });
      expect(await store.discover([newUrl('http://a.example/')])).toHaveLength(1);
    });

    it('keeps the orders of a URL that is gone', async () => {
      const { store } = await open();
      await store.settle([{ id: 12_345, changes: { status: 'indexed' }, visit: visit(1), orders: [order(9)] }]);
      expect(await store.getOrder(9)).toEqual(order(9));
      expect(await store.listVisits(12_345, 5)).toEqual([]);
    });

    it('applies several settlements of one URL in one batch in order; those after its removal are void', async () => {
      const { store } = await open();
      const [a, b] = await discovered(store, newUrl('http://a.example/'), newUrl('http://b.example/'));
      await store.settle([
        { id: a!.id, changes: { status: 'indexed', stamp: 'x', title: 'One' }, visit: visit(1), orders: [order(1)] },
        {
          id: a!.id,
          changes: { title: 'Two', etag: undefined, stamp: null },
          visit: visit(2),
          orders: [order(1, { attempts: 2 })],
        },
        { id: b!.id, remove: true, orders: [order(2)] },
        { id: b!.id, changes: { status: 'indexed' }, visit: visit(3), orders: [order(3)] },
      ]);
      expect(await store.list({}, 0, 10)).toEqual([{ ...a, status: 'indexed', title: 'Two' }]);
      expect((await store.listVisits(a!.id, 5)).map(({ at }) => at)).toEqual([2, 1]);
      expect((await store.listOrders({}, undefined, 5)).map(({ id, attempts }) => [id, attempts])).toEqual([
        [3, 1],
        [2, 1],
        [1, 2],
      ]);
      expect(await store.listVisits(b!.id, 5)).toEqual([]);
      expect((await store.countByStatus('docs')).indexed).toBe(0);
    });

    it('keeps the last 20 visits of a URL', async () => {
      const { store } = await open();
      const [url] = await discovered(store, newUrl('http://a.example/'));
      for (let visits = 1; visits <= 25; visits++) {
        await store.settle([
          { id: url!.id, changes: { visits }, visit: visit(visits, { status: undefined, detail: 'slow' }) },
        ]);
      }
      const kept = await store.listVisits(url!.id, 100);
      expect(kept.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, i) => 25 - i));
      expect(kept[0]).toEqual(visit(25, { status: undefined, detail: 'slow' }));
      expect(await store.listVisits(url!.id, 2)).toHaveLength(2);
    });
  });

  describe('restart', () => {
    it('keeps everything', async () => {
      const test = await open();
      const [url] = await discovered(test.store, newUrl('http://a.example/'), newUrl('http://a.example/2'));
      await test.store.settle([
        {
          id: url!.id,
          changes: { status: 'indexed', stamp: 'x', simhash: 5n, source: 5, dueAt: instant(7) },
          visit: visit(3),
          orders: [order(41)],
        },
      ]);
      await test.store.saveHosts([
        {
          hostKey: 'a.example',
          nextRequestAt: instant(4.2),
          backOffUntil: instant(8.4),
          backOffStep: 2,
          paused: true,
          visitPrice: milliseconds(77),
        },
      ]);
      await test.store.putSetting('crawler/docs', 'running');
      const look = async () => ({
        urls: await test.store.list({}, 0, 10),
        visits: await test.store.listVisits(url!.id, 5),
        counts: await test.store.countByStatus('docs'),
        orders: await test.store.listOrders({}, undefined, 5),
        hosts: await test.store.loadHosts(['a.example', 'b.example']),
        settings: [...(await test.store.listSettings(''))],
        backlogs: await test.store.listBacklogs('docs', now, undefined, 5),
      });
      const before = await look();
      await test.restart();
      expect(await look()).toEqual(before);
      expect(before.hosts).toMatchObject([{ nextRequestAt: 5, backOffUntil: 9, visitPrice: 77 }]);
      expect(before.counts.indexed).toBe(1);
    });

    it('never assigns an order id twice, even when all orders have been pruned', async () => {
      const test = await open();
      await test.store.saveOrders([order(1), order(2), order(3)]);
      await test.store.pruneOrders(instant(Number.MAX_SAFE_INTEGER), 0);
      const store = await test.restart();
      expect(await store.getLastOrderId()).toBeGreaterThanOrEqual(3);
    });
  });
});
