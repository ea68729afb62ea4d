import { describe, expect, it } from 'vitest';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { hashWords } from '../../../domain/content/vocabulary.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { FrontierStore, NewUrl } from '../../ports/frontier-store.js';
import { EndlessLinks } from './endless-links.js';

const HOST = 'a.example';
const STRANGE = 'https://evil.test/';
const found = (n: number): NewUrl => ({
  crawler: 'test',
  url: `https://${HOST}/day/${n}`,
  key: computeUrlKey(`https://${HOST}/day/${n}`),
  hostKey: HOST,
  source: 3,
  status: 'waiting',
  reason: 'discovered',
  hops: 100 + n,
  redirects: 0,
  discoveredVia: 'link',
  foundOn: n === 0 ? `https://${HOST}/` : `https://${HOST}/day/${n - 1}`,
  dueAt: instant(0),
});

class Chain {
  readonly refused: string[] = [];
  readonly forgotten: string[] = [];
  readonly links: EndlessLinks;

  constructor(
    private readonly store: FrontierStore,
    limit = 20,
  ) {
    const processor = { forget: (_: string, urls: readonly string[]) => this.forgotten.push(...urls) };
    this.links = new EndlessLinks('test', { store, processor }, () => limit, {
      haveNamed: ({ foundOn }) => foundOn === STRANGE,
    });
  }

  /** Reads a page that links to the next one; returns what was new. */
  async read(page: UrlState, text = 'Nothing today.'): Promise<UrlState[]> {
    const wanted = await this.links.findNeededWords(page);
    const words = wanted && hashWords(text, wanted);
    return this.links.discoverLinks(page, words, [found(Number(page.url.split('/').at(-1)) + 1)], {
      discover: (urls) => this.store.discover(urls),
      refuse: ({ url }) => this.refused.push(url),
    });
  }

  async follow(page: UrlState): Promise<UrlState> {
    for (let last = page; ; ) {
      const [next] = await this.read(last);
      if (!next) return last;
      last = next;
    }
  }
}

describe('links of endless patterns', () => {
  it('are refused on pages that bring nothing new, accepted on others, and may still be found elsewhere', async () => {
    const store = await openStoreInThisThread();
    const chain = new Chain(store);
    const [first] = await store.discover([found(0)]);
    const last = await chain.follow(first!);
    const next = found(last.hops - 100 + 1).url;
    expect(chain.refused).toEqual([next]);
    expect(chain.forgotten).toEqual([next]);
    expect(chain.links.findObjection(HOST, next)).toContain('/day/N');
    expect(chain.links.findObjection(HOST, `https://${HOST}/about`)).toBeUndefined();
    expect((await chain.read(last, 'The annual assembly.')).map(({ url }) => url)).toEqual([next]);
    expect(chain.links.findObjection(HOST, next)).toBeUndefined();
    await store.close();
  });

  it('stay refused after a restart, until the limit is changed', async () => {
    const store = await openStoreInThisThread();
    const [first] = await store.discover([found(0)]);
    const last = await new Chain(store).follow(first!);
    expect(await new Chain(store).read(last)).toEqual([]);
    expect(await new Chain(store, 30).read(last)).toHaveLength(1);
    await store.close();
  });

  it('are accepted on pages near the root whose numbers differ, and not on pages with the same text', async () => {
    const store = await openStoreInThisThread();
    const chain = new Chain(store);
    const [first] = await store.discover([found(0)]);
    const last = await chain.follow(first!);
    expect(await chain.read({ ...last, hops: 20 }, 'Nothing today.')).toEqual([]);
    expect(await chain.read(last, 'Nothing today 17.')).toEqual([]);
    expect(await chain.read({ ...last, hops: 20 }, 'Nothing today 18.')).toHaveLength(1);
    await store.close();
  });

  it.each([
    ['its own pages', `https://${HOST}/`, true],
    ['pages that strangers have made up', STRANGE, false],
  ])('are learned from %s: %s', async (_, foundOn, isEndless) => {
    const store = await openStoreInThisThread();
    const chain = new Chain(store);
    const [first] = await store.discover([found(0)]);
    let page = first!;
    for (let day = 0; day < 30; day++) page = (await chain.read(page, `On day ${day}, word${day} was said.`))[0]!;
    for (let n = 5_000; n < 5_120; n += 2) await chain.read({ ...first!, id: n, url: found(n).url, foundOn });
    expect(chain.links.findObjection(HOST, page.url) !== undefined).toBe(isEndless);
    await store.close();
  });

  it.each([
    ['one after another', 1],
    ['as a shared database gives them to a host', 1_024],
  ])('that are already queued are visited one in sixteen, with ids %s', async (_, step) => {
    const store = await openStoreInThisThread();
    const chain = new Chain(store);
    const [first] = await store.discover([found(0)]);
    await chain.follow(first!);
    const waiting = (id: number): UrlState => ({ ...first!, id, url: found(id).url, foundOn: found(id - 1).url });
    const skipped = Array.from({ length: 1_600 }, (_, i) => chain.links.shouldSkip(waiting(step * (1_000 + i))));
    const lookedAt = skipped.filter((each) => !each).length;
    expect(lookedAt).toBeGreaterThan(80);
    expect(lookedAt).toBeLessThan(120);
    expect(chain.links.shouldSkip({ ...waiting(1_001), foundOn: `https://${HOST}/list` })).toBe(false);
    expect(chain.links.shouldSkip({ ...waiting(1_001), visits: 1 })).toBe(false);
    await store.close();
  });
});
