import { describe, expect, it } from 'vitest';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { loadRegistrableDomains } from '../../../adapters/system/registrable-domain.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { NewUrl } from '../../ports/frontier-store.js';
import { Strangers } from '../hosts/strangers.js';
import { Discovery } from './discovery.js';

const TRAPS = {
  maxPathDepth: 40,
  maxRepeatedSegments: 4,
  maxQueryVariants: 300,
  maxPatternUrls: 1_000,
  maxUrlsPerHost: 1_000,
  maxLinksPerPage: 50_000,
};

const found = (path: string): NewUrl => ({
  crawler: 'test',
  url: `https://a.example${path}`,
  key: computeUrlKey(`https://a.example${path}`),
  hostKey: 'a.example',
  source: 3,
  status: 'waiting',
  reason: 'discovered',
  hops: 1,
  redirects: 0,
  discoveredVia: 'link',
  dueAt: instant(0),
});
const many = (path: string, from: number, to: number): NewUrl[] =>
  Array.from({ length: to - from }, (_, i) => found(`${path}${from + i}`));

describe('the bounds of a page', () => {
  it('keep it from filling the limits of its host, which other pages and lists of the host still have', async () => {
    const store = await openStoreInThisThread();
    const refused: string[] = [];
    const traps = { ...TRAPS, maxQueryVariants: 20_000, maxUrlsPerHost: 100_000 };
    const target = {
      traps,
      admit: () => undefined,
      readmit: () => undefined,
      refuse: (_: unknown, why: string) => void refused.push(why),
    };
    const discovery = new Discovery(store, () => target, new Strangers(loadRegistrableDomains));
    const named = (path: string, number: number, from: Partial<NewUrl>): NewUrl[] =>
      many(path, 0, number).map((url) => ({ ...url, hops: 3, ...from }));
    const author = { foundOn: 'https://a.example/~author/' };
    expect(await discovery.discover(named('/p?junk=', 6_000, author))).toHaveLength(5_000);
    expect(await discovery.discover(named('/p?more=', 10, author))).toHaveLength(0);
    expect(await discovery.discover(named('/other?x=', 10, author))).toHaveLength(10);
    expect(await discovery.discover(named('/p?id=', 100, { foundOn: 'https://a.example/list' }))).toHaveLength(100);
    const sitemap = { foundOn: 'https://a.example/sitemap.xml', discoveredVia: 'sitemap' } as const;
    expect(await discovery.discover(named('/p?s=', 6_000, sitemap))).toHaveLength(6_000);
    const root = { foundOn: 'https://a.example/', hops: 1 };
    expect(await discovery.discover(named('/p?r=', 6_000, root))).toHaveLength(6_000);
    expect([refused.length, new Set(refused)]).toEqual([1_010, new Set(['trap-query-variants'])]);
    await store.close();
  });
});

describe('the bounds of a host', () => {
  it('survive a restart: URLs of one path are counted again from the store', async () => {
    const store = await openStoreInThisThread();
    let refused: string[] = [];
    const readmitted: unknown[] = [];
    const start = (): Discovery =>
      new Discovery(
        store,
        () => ({
          traps: TRAPS,
          admit: () => undefined,
          readmit: (state) => readmitted.push(state),
          refuse: (_, why) => refused.push(why),
        }),
        new Strangers(loadRegistrableDomains),
      );

    const before = start();
    for (let n = 0; n < 250; n += 50) await before.discover(many('/list?page=', n, n + 50));
    const after = start();
    for (let n = 250; n < 500; n += 50) await after.discover(many('/list?page=', n, n + 50));
    const stored = await store.count({ crawler: 'test', prefix: 'https://a.example/list?' });
    expect(stored).toBeGreaterThanOrEqual(300);
    expect(stored).toBeLessThan(400);
    expect(new Set(refused)).toEqual(new Set(['trap-query-variants']));

    refused = [];
    for (let n = 0; n < 1_000; n += 50) await start().discover(many('/article/', n, n + 50));
    const all = await store.count({ crawler: 'test' });
    expect(all).toBeGreaterThanOrEqual(1_000);
    expect(all).toBeLessThan(1_040);
    expect(new Set(refused)).toEqual(new Set(['trap-host-size']));
    await store.close();
  });

  it('are charged to the host for what strangers have named before it, which then is as the host says', async () => {
    const store = await openStoreInThisThread();
    const readmitted: UrlState[] = [];
    const target = {
      traps: TRAPS,
      admit: () => undefined,
      readmit: (state: UrlState) => void readmitted.push(state),
      refuse: () => undefined,
    };
    const discovery = new Discovery(store, () => target, new Strangers(loadRegistrableDomains));
    const strange = { foundOn: 'https://b.example/', hops: 20, discoveredVia: 'redirect', redirects: 1 } as const;
    const own = { foundOn: 'https://a.example/', hops: 1, discoveredVia: 'link', redirects: 0 } as const;
    await discovery.discover([{ ...found('/page'), ...strange }]);
    await discovery.discover([{ ...found('/page'), ...own }]);
    expect(readmitted).toMatchObject([own]);
    expect(await store.find('test', found('/page').url)).toMatchObject(own);
    await discovery.discover([{ ...found('/page'), ...strange }]);
    expect(await store.find('test', found('/page').url)).toMatchObject(own);
    await store.close();
  });

  it('survive a restart for strangers, too: what they have named stays theirs when it has been visited', async () => {
    const store = await openStoreInThisThread();
    const refused: string[] = [];
    const start = (): Discovery =>
      new Discovery(
        store,
        () => ({
          traps: { ...TRAPS, maxQueryVariants: 600 },
          admit: () => undefined,
          readmit: () => undefined,
          refuse: (_, why) => refused.push(why),
        }),
        new Strangers(loadRegistrableDomains),
      );
    const strange = (path: string, from: number, to: number): NewUrl[] =>
      many(path, from, to).map((url) => ({ ...url, foundOn: 'https://b.example/x.a.example/' }));
    const urls = [
      ...(await start().discover(strange('/p?junk=', 0, 60))),
      ...(await start().discover(strange('/junk/', 0, 40))),
    ];
    expect(urls).toHaveLength(100);
    await store.settle(
      urls.map(({ id }, i) => ({
        id,
        changes:
          i % 10 === 0
            ? { source: null, status: 'removed' as const, reason: 'http-404' as const }
            : { source: 2, status: 'visited' as const, reason: 'no-index' as const },
      })),
    );
    const after = start();
    // Ten of them do not exist, and six of these differ in their query only.
    expect(await after.discover(strange('/p?more=', 0, 30))).toHaveLength(10);
    expect(await after.discover(many('/p?id=', 0, 700))).toHaveLength(600);
    expect(await after.discover(many('/own/', 0, 500))).toHaveLength(400);
    expect(new Set(refused)).toEqual(new Set(['trap-host-size', 'trap-query-variants']));
    await store.close();
  });

  it.each([
    ['http-404', 10],
    ['http-410', 10],
    ['http-403', 0],
  ] as const)('give strangers as many places back as their URLs were %s: %d', async (reason, places) => {
    const store = await openStoreInThisThread();
    const target = { traps: TRAPS, admit: () => undefined, readmit: () => undefined, refuse: () => undefined };
    const discovery = new Discovery(store, () => target, new Strangers(loadRegistrableDomains));
    const strange = (path: string): NewUrl[] =>
      many(path, 0, 200).map((url) => ({ ...url, foundOn: 'https://b.example/x.a.example/' }));
    const urls = await discovery.discover(strange('/junk/'));
    expect(urls).toHaveLength(100);
    for (const state of urls.slice(0, 10)) discovery.noteFirstVisit(state, reason);
    const more = await discovery.discover(strange('/more/'));
    expect(more).toHaveLength(places);
    // After a hundred, no further ones are given back.
    for (const state of [...urls.slice(10), ...more]) discovery.noteFirstVisit(state, reason);
    expect(await discovery.discover(strange('/rest/'))).toHaveLength(9 * places);
    await store.close();
  });

  it('count a host from the store when it was forgotten while its links were being stored', async () => {
    let stored = 0;
    const otherHosts = Array.from({ length: 20_001 }, (_, i) => ({
      ...found('/'),
      hostKey: `h${i}`,
      url: `https://h${i}/`,
    }));
    const store = {
      count: async () => stored,
      findByKeys: async () => [],
      seed: async () => [],
      discover: async (urls: readonly NewUrl[]) => {
        stored += urls.length;
        return urls.map((url, id) => ({ ...url, id }) as unknown as UrlState).reverse();
      },
    };
    const refused: string[] = [];
    const discovery = new Discovery(
      store,
      () => ({
        traps: { ...TRAPS, maxUrlsPerHost: 60_000 },
        admit: () => undefined,
        readmit: () => undefined,
        refuse: (_, why) => refused.push(why),
      }),
      new Strangers(loadRegistrableDomains),
    );
    // The first host of this batch, which is recorded last, has been pushed out of the memory by the others.
    await discovery.discover([found('/1'), ...otherHosts]);
    stored = 60_000;
    await discovery.discover([found('/2')]);
    expect(refused).toEqual(['trap-host-size']);
  });
});
