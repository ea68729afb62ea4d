import { describe, expect, it } from 'vitest';
import { DATABASES } from '../../../../test/support/database.js';
import { discovered, newUrl, order } from '../../../../test/support/frontier-samples.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { instant } from '../../../domain/time/units.js';

const now = instant(1_000_000);
const inOrder = (...states: (UrlState | undefined)[]): number[] =>
  states.map((state) => state!.id).sort((x, y) => x - y);
const hrefs = (states: readonly UrlState[]): string[] => states.map(({ url }) => url);

describe.each(DATABASES)('administration on $name', ({ open }) => {
  it('pages through a list in the same order for every page, whatever is added or removed meanwhile', async () => {
    const { store } = await open();
    const states = await discovered(
      store,
      ...Array.from({ length: 25 }, (_, i) => newUrl(`http://a.example/${25 - i}`)),
    );
    const seen: string[] = [];
    let after = 0;
    for (;;) {
      const page = await store.list({ crawler: 'docs' }, after, 10);
      seen.push(...hrefs(page));
      if (page.length < 10) break;
      after = page.at(-1)!.id;
      await store.settle([{ id: states[0]!.id, remove: true }]);
    }
    expect(new Set(seen)).toEqual(new Set(hrefs(states)));
    expect(seen).toHaveLength(states.length);
  });

  it("lists the texts of a crawler's indexed documents", async () => {
    const { store } = await open();
    const urls = ['http://a.example/1', 'http://a.example/2', 'http://a.example:81/3'].map((url) => newUrl(url));
    const states = await discovered(store, ...urls, newUrl('http://a.example/4', { crawler: 'news' }));
    const simhash = 0xfedc_ba98_7654_3210n - 2n ** 64n;
    const [first, , third, other] = states.map(({ id }) => id);
    await store.settle([first, third, other].map((id) => ({ id: id!, changes: { stamp: `s${id}`, simhash } })));
    await store.settle([{ id: third!, changes: { simhash: null } }]);
    const texts = [
      { id: first, hostKey: 'a.example', stamp: `s${first}`, simhash },
      { id: third, hostKey: 'a.example:81', stamp: `s${third}`, simhash: undefined },
    ];
    const [head] = await store.listTexts('docs', 0, 1);
    expect([head, ...(await store.listTexts('docs', head!.id, 9))].sort((x, y) => x!.id - y!.id)).toEqual(texts);
  });

  it('lists and counts by each filter', async () => {
    const { store } = await open();
    const [a, b, c] = await discovered(
      store,
      newUrl('http://a.example/docs/x', { source: 2, reason: 'rule-ignored' }),
      newUrl('http://a.example/Docs/y'),
      newUrl('http://b.example/docs/z', { crawler: 'news' }),
    );
    await store.settle([
      {
        id: b!.id,
        changes: { status: 'error', reason: 'http-404', source: null, stamp: 'x', pendingDeletion: 'http-404' },
      },
    ]);
    const found = async (filter: Parameters<typeof store.list>[0]) => {
      const ids = (await store.list(filter, 0, 10)).map(({ id }) => id).sort((x, y) => x - y);
      expect(await store.count(filter)).toBe(ids.length);
      return ids;
    };
    expect(await found({})).toEqual(inOrder(a, b, c));
    expect(await found({ crawler: 'news' })).toEqual([c!.id]);
    expect(await found({ hostKey: 'a.example' })).toEqual(inOrder(a, b));
    expect(await found({ status: 'error' })).toEqual([b!.id]);
    expect(await found({ source: 2 })).toEqual([a!.id]);
    expect(await found({ reason: 'rule-ignored' })).toEqual([a!.id]);
    expect(await found({ reasons: ['rule-ignored', 'http-404'] })).toEqual(inOrder(a, b));
    expect(await found({ indexed: true })).toEqual([b!.id]);
    expect(await found({ indexed: false })).toEqual(inOrder(a, c));
    expect(await found({ pendingDeletion: true })).toEqual([b!.id]);
    expect(await found({ pendingDeletion: false, crawler: 'docs' })).toEqual([a!.id]);
    expect(await found({ prefix: 'http://a.example/D' })).toEqual([b!.id]);
    expect(await found({ prefix: 'http://' })).toEqual(inOrder(a, b, c));
    expect(await found({ hostKey: 'nowhere.example' })).toEqual([]);
    expect(await found({ crawler: 'docs', status: 'waiting', source: 2, indexed: false })).toEqual([a!.id]);
    expect(await found({ hostKey: 'a.example', indexed: true })).toEqual([b!.id]);
    expect(await found({ hostKey: 'a.example', indexed: false })).toEqual([a!.id]);
    expect(await found({ hostKey: 'a.example', status: 'error' })).toEqual([b!.id]);
    expect(await found({ hostKey: 'a.example', status: 'error', indexed: false })).toEqual([]);
    expect(await found({ hostKey: 'a.example', status: 'waiting', crawler: 'docs' })).toEqual([a!.id]);
    expect(await found({ hostKey: 'a.example', source: 3 })).toEqual([]);
  });

  it('finds URLs that pages of other domains have named', async () => {
    const { store } = await open();
    const pages = [
      'http://b.example/a.example/',
      'http://b.example/x.a.example/?://a.example/',
      'https://xa.example/',
      'http://a.example.org:8080/',
      'http://a/',
    ];
    const ownPages = [
      'http://a.example/',
      'https://www.a.example:8443/x',
      'http://x.y.a.example/',
      'http://a.example:1/',
    ];
    const strange = await discovered(
      store,
      ...pages.map((foundOn, i) => newUrl(`http://a.example/s${i}`, { foundOn })),
    );
    await discovered(
      store,
      ...ownPages.map((foundOn, i) => newUrl(`http://a.example/o${i}`, { foundOn })),
      newUrl('http://a.example/root', { discoveredVia: 'root', foundOn: 'http://b.example/' }),
      newUrl('http://a.example/asked', { discoveredVia: 'indexnow', foundOn: 'http://b.example/' }),
      newUrl('http://a.example/nowhere'),
    );
    const filter = { hostKey: 'a.example', namedOutside: 'a.example' };
    expect(hrefs(await store.list(filter, 0, 20)).sort()).toEqual(hrefs(strange).sort());
    expect(await store.count({ ...filter, prefix: 'http://a.example/s1' })).toBe(1);
    expect(await store.count({ hostKey: 'a.example', namedOutside: 'a_example' })).toBe(pages.length + ownPages.length);
  });

  it('matches LIKE patterns as SQL does: case-sensitive, % is any text, _ one character, \\ escapes them', async () => {
    const { store } = await open();
    const urls = ['a_b', 'a%b', 'aXb', 'axb', 'a[b', 'a*b', 'a?b', 'a\\b'].map((path) =>
      newUrl(`http://a.example/${path}`),
    );
    await discovered(store, ...urls);
    const matching = async (pattern: string) =>
      hrefs(await store.list({ like: pattern }, 0, 20)).map((url) => url.slice(17));
    expect(await matching('http://a.example/aX%')).toEqual(['aXb']);
    expect(await matching('%/a_b')).toHaveLength(8);
    expect(await matching('%/a\\_b')).toEqual(['a_b']);
    expect(await matching('%/a\\%b')).toEqual(['a%b']);
    expect(await matching('%/a\\\\b')).toEqual(['a\\b']);
    expect(await matching('%/a[b')).toEqual(['a[b']);
    expect(await matching('%/a*b')).toEqual(['a*b']);
    expect(await matching('%/a?b')).toEqual(['a?b']);
    expect(await matching('a%')).toEqual([]);
  });

  it('matches a prefix literally', async () => {
    const { store } = await open();
    await discovered(
      store,
      newUrl('http://a.example/100%/x'),
      newUrl('http://a.example/100_/x'),
      newUrl('http://a.example/*'),
    );
    expect(hrefs(await store.list({ prefix: 'http://a.example/100%' }, 0, 9))).toEqual(['http://a.example/100%/x']);
    expect(hrefs(await store.list({ prefix: 'http://a.example/*' }, 0, 9))).toEqual(['http://a.example/*']);
  });

  it('walks a crawler by URL, page by page, and again from the start', async () => {
    const { store } = await open();
    const urls = [
      'http://b.example/',
      'http://a.example/z',
      'https://a.example/',
      'http://a.example/B',
      'http://a.example/a',
    ];
    await discovered(store, ...urls.map((url) => newUrl(url)), newUrl('http://c.example/', { crawler: 'news' }));
    const walk = async () => {
      const seen: string[] = [];
      for (let last: string | undefined; ; last = seen.at(-1)) {
        const page = hrefs(await store.listByUrl('docs', last, 2));
        seen.push(...page);
        if (page.length < 2) return seen;
      }
    };
    expect(await walk()).toEqual([...urls].sort());
    const late = await discovered(store, newUrl('http://a.example/0'));
    await store.settle([{ id: (await store.find('docs', 'http://b.example/'))!.id, remove: true }]);
    expect(await walk()).toEqual([...urls.slice(1), late[0]!.url].sort());
  });

  it('walks a crawler by URL to its end, though URLs are deleted meanwhile', async () => {
    const { store } = await open();
    const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `http://a.example/${name}`);
    const [, , c, d] = await discovered(store, ...urls.map((url) => newUrl(url)));
    expect(hrefs(await store.listByUrl('docs', undefined, 2))).toEqual(urls.slice(0, 2));
    await store.settle([c!, d!].map(({ id }) => ({ id, remove: true })));
    await discovered(store, newUrl('http://a.example/late'));
    expect(hrefs(await store.listByUrl('docs', urls[1], 1))).toEqual(urls.slice(4));
  });

  it('walks several crawlers by URL at the same time, and sorts the URLs of each once', async () => {
    const { store } = await open();
    const of = (crawler: string, ...names: string[]) => names.map((name) => newUrl(`http://${name}/`, { crawler }));
    await discovered(store, ...of('docs', 'a', 'c'), ...of('news', 'x', 'z'));
    expect(hrefs(await store.listByUrl('docs', undefined, 1))).toEqual(['http://a/']);
    expect(hrefs(await store.listByUrl('news', undefined, 1))).toEqual(['http://x/']);
    await discovered(store, ...of('docs', 'b'), ...of('news', 'y'));
    expect(hrefs(await store.listByUrl('docs', 'http://a/', 2))).toEqual(['http://c/']);
    expect(hrefs(await store.listByUrl('news', 'http://x/', 2))).toEqual(['http://z/']);
    expect(hrefs(await store.listByUrl('docs', undefined, 4))).toEqual(['http://a/', 'http://b/', 'http://c/']);
  });

  it('finds a URL by its exact text only', async () => {
    const { store } = await open();
    await discovered(store, newUrl('http://a.example:8080/x?y=1'));
    expect(await store.find('docs', 'http://a.example:8080/x?y=1')).toMatchObject({ hostKey: 'a.example:8080' });
    expect(await store.find('docs', 'http://a.example:8080/x?y=2')).toBeUndefined();
    expect(await store.find('news', 'http://a.example:8080/x?y=1')).toBeUndefined();
  });

  it('walks backlogs and hosts page by page', async () => {
    const { store } = await open();
    const hosts = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
    await discovered(
      store,
      ...hosts.map((host, i) => newUrl(`http://${host}/`, { dueAt: instant(i === 2 ? 9_000_000 : i) })),
    );
    const first = await store.listBacklogs('docs', now, undefined, 2);
    const second = await store.listBacklogs('docs', now, first.next, 2);
    const third = await store.listBacklogs('docs', now, second.next, 2);
    expect([first, second, third].map(({ backlogs }) => backlogs.map(({ hostKey }) => hostKey))).toEqual([
      ['a.example', 'b.example'],
      ['d.example', 'e.example'],
      [],
    ]);
    expect(third.next).toBeUndefined();
    expect((await store.listHosts('docs', 'b.example', 2)).map(({ hostKey }) => hostKey)).toEqual([
      'c.example',
      'd.example',
    ]);
  });

  it('makes crawlable URLs due, but never later than before, and keeps queued ones in their source', async () => {
    const { store } = await open();
    const [waiting, indexed, error, excluded, early] = await discovered(
      store,
      ...['w', 'i', 'e', 'x', 'early'].map((path) => newUrl(`http://a.example/${path}`, { dueAt: instant(2_000_000) })),
    );
    await store.settle([
      { id: indexed!.id, changes: { status: 'indexed', source: 5, stamp: 'x' } },
      { id: error!.id, changes: { status: 'error', source: null } },
      { id: excluded!.id, changes: { status: 'excluded', source: null } },
      { id: early!.id, changes: { status: 'visited', source: 5, dueAt: instant(10) } },
    ]);
    expect(await store.makeDue({ crawler: 'docs' }, now, 0)).toBe(4);
    const after = await store.get([waiting!.id, indexed!.id, error!.id, excluded!.id, early!.id]);
    expect(after.map(({ source, dueAt }) => [source, dueAt])).toEqual([
      [3, now],
      [0, now],
      [0, now],
      [undefined, 2_000_000],
      [0, 10],
    ]);
  });

  it('makes more URLs due than one step handles', async () => {
    const { store } = await open();
    await store.discover(
      Array.from({ length: 5_000 }, (_, i) => newUrl(`http://a.example/${i}`, { dueAt: instant(2_000_000) })),
    );
    expect(await store.makeDue({ like: '%' }, now, 0)).toBe(5_000);
    expect((await store.countByStatus('docs')).oldestDueAt).toBe(now);
    expect(await store.forget({ like: '%' })).toBe(5_000);
    expect(await store.count({})).toBe(0);
  });

  it('forgets only URLs without a document and without an order in flight', async () => {
    const { store } = await open();
    const paths = ['free', 'document', 'deletion', 'pending', 'held', 'done', 'other'];
    const states = await discovered(store, ...paths.map((path) => newUrl(`http://a.example/${path}`)));
    await store.settle([
      { id: states[1]!.id, changes: { stamp: 'x' } },
      { id: states[2]!.id, changes: { pendingDeletion: 'http-404' } },
    ]);
    const uri = (i: number) => ({ uri: states[i]!.url });
    await store.saveOrders([
      order(1, { ...uri(3), state: 'pending' }),
      order(2, { ...uri(4), state: 'held', kind: 'delete' }),
      order(3, { ...uri(5), state: 'acknowledged' }),
      order(4, { ...uri(6), state: 'pending', crawler: 'news' }),
    ]);
    expect(await store.forget({ crawler: 'docs' })).toBe(3);
    expect(hrefs(await store.list({}, 0, 10)).sort()).toEqual([1, 2, 3, 4].map((i) => states[i]!.url).sort());
  });

  describe('the ledger', () => {
    it('shows the newest first, by filter and in pages', async () => {
      const { store } = await open();
      await store.saveOrders([
        order(1),
        order(2, { state: 'refused', answer: 'too large' }),
        order(3, { kind: 'delete', uri: 'http://b.example/', hostKey: 'b.example' }),
        order(4, { crawler: 'news' }),
        order(5, { state: 'pending' }),
      ]);
      const ids = async (filter: Parameters<typeof store.listOrders>[0], before?: number, limit = 10) => {
        const found = (await store.listOrders(filter, before, limit)).map(({ id }) => id);
        if (before === undefined && limit === 10) expect(await store.countOrders(filter)).toBe(found.length);
        return found;
      };
      expect(await ids({})).toEqual([5, 4, 3, 2, 1]);
      expect(await ids({}, 4, 2)).toEqual([3, 2]);
      expect(await ids({ state: 'refused' })).toEqual([2]);
      expect(await ids({ kind: 'delete' })).toEqual([3]);
      expect(await ids({ crawler: 'news' })).toEqual([4]);
      expect(await ids({ hostKey: 'b.example' })).toEqual([3]);
      expect(await ids({ uri: 'http://a.example/', state: 'acknowledged' })).toEqual([4, 1]);
      expect(await store.getOrder(2)).toEqual(order(2, { state: 'refused', answer: 'too large' }));
      expect(await store.getOrder(77)).toBeUndefined();
    });

    it('updates an order', async () => {
      const { store } = await open();
      await store.saveOrders([order(7, { state: 'pending', attempts: 0 })]);
      const answered = order(7, {
        state: 'acknowledged',
        attempts: 3,
        answeredAt: instant(99),
        answer: 'ok',
        stamp: 'x',
      });
      await store.saveOrders([answered]);
      expect(await store.listOrders({}, undefined, 10)).toEqual([answered]);
      expect(await store.countOrders({ state: 'pending' })).toBe(0);
    });

    it('prunes acknowledged orders that are old or too many, never others', async () => {
      const { store } = await open();
      const states = [
        'acknowledged',
        'refused',
        'acknowledged',
        'held',
        'acknowledged',
        'acknowledged',
        'pending',
      ] as const;
      await store.saveOrders(states.map((state, i) => order(i + 1, { state })));
      expect(await store.pruneOrders(instant(15), 100)).toBe(1);
      expect(await store.pruneOrders(instant(0), 1)).toBe(2);
      expect((await store.listOrders({}, undefined, 10)).map(({ id }) => id)).toEqual([7, 6, 4, 2]);
    });
  });

  it('keeps settings by name and finds them by literal prefix', async () => {
    const { store } = await open();
    await store.putSetting('crawler/docs', 'running');
    await store.putSetting('crawler/docs', 'paused');
    await store.putSetting('crawler/news', 'x');
    await store.putSetting('crawler/news', undefined);
    await store.putSetting('crawler_x', 'y');
    expect(await store.getSetting('crawler/docs')).toBe('paused');
    expect(await store.getSetting('crawler/news')).toBeUndefined();
    expect([...(await store.listSettings('crawler/'))]).toEqual([['crawler/docs', 'paused']]);
    expect([...(await store.listSettings('crawler_'))]).toEqual([['crawler_x', 'y']]);
  });

  it('gives settings page by page, in the order of their names', async () => {
    const { store } = await open();
    const names = [
      'root/a',
      'root/docs/http://b.example/',
      'root/docs/http://a.example/',
      'root/docs/http://a.example/x',
    ];
    for (const name of [...names, 'root/docs/http://c.example/', 'root/docsx/y']) await store.putSetting(name, '{}');
    const page = async (from: string, limit: number) => [
      ...(await store.listSettings('root/docs/', { from, limit })).keys(),
    ];
    expect(await page('root/docs/', 2)).toEqual(['root/docs/http://a.example/', 'root/docs/http://a.example/x']);
    expect(await page('root/docs/http://a.example/x', 2)).toEqual([
      'root/docs/http://a.example/x',
      'root/docs/http://b.example/',
    ]);
    expect(await page('root/docs/http://b.example/0', 100)).toEqual(['root/docs/http://c.example/']);
  });
});
