import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { createCanonicalizer } from '../../domain/url/canonicalize.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { SettingsPage } from '../ports/frontier-store.js';
import { Roots } from './roots.js';

it.each([
  ['with the other home pages of their servers without deleteNoServer', false, [['http://a.example/']]],
  ['alone with deleteNoServer', true, []],
])('the URLs of a list are submitted %s', async (_, deleteNoServer, homePages) => {
  const canonicalize = createCanonicalizer(crawlerDefinition().canonicalization);
  const judged: string[] = [];
  const policy = {
    judge: ({ url }: { url: { href: string } }) => judged.push(url.href) && { accepted: false },
    explain: () => undefined,
  };
  const known = { findLikely: () => undefined };
  const crawler = { context: { canonicalize, policy, roots: known, definition: { servers: { deleteNoServer } } } };
  const roots = new Roots({ crawlers: { get: () => crawler } } as unknown as ConstructorParameters<typeof Roots>[0]);
  const submissions: string[][] = [];
  roots.submit = async (_, list) => {
    submissions.push(list.map(({ url }) => url));
    return [];
  };
  const urls = ['http://a.example/x', 'http://b.example/'];
  expect(await roots.submitList('a', urls)).toMatchObject(urls.map((url) => ({ outcome: 'rejected', url })));
  expect([new Set(judged), submissions]).toEqual([new Set(urls), homePages]);
});

it('while thousands of submitted roots are read, the server does other things', async () => {
  const settings = Array.from({ length: 3_500 }, (_, i): [string, string] => {
    const url = `http://h${String(i).padStart(4, '0')}.example/`;
    return [`root/a/${url}`, JSON.stringify({ url })];
  });
  const store = {
    listSettings: async (prefix: string, page?: SettingsPage) => {
      const { from = '', limit } = page ?? {};
      const found = settings.filter(([name]) => name.startsWith(prefix) && name >= from);
      return new Map(found.slice(0, limit));
    },
  };
  let pauses = 0;
  const clock = { sleep: async () => void pauses++ };
  const roots = new Roots({ store, clock } as unknown as ConstructorParameters<typeof Roots>[0]);
  const canonicalize = createCanonicalizer(crawlerDefinition().canonicalization);
  const context = { canonicalize, configuredRoots: new Set<string>() } as unknown as CrawlContext;
  expect(await roots.readStored('a', context)).toHaveLength(3_500);
  expect(pauses).toBe(3);
});
