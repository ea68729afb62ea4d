import { expect, it } from 'vitest';
import { crawlerDefinition, placeAt, rootDefinition } from '../../../test/support/crawler-definition.js';
import { parseCrawlSpace } from '../../domain/policy/crawl-space-file.js';
import { compileContexts } from './crawl-context.js';
import { judgeUrl } from './judge-url.js';

const OTHER = { url: 'http://shop.example/x' };
const ONLY_PRIVATE = 'allow address 10.0.0.0/8\nforbid domain *';

/** How a link is judged by the crawler `docs` with this crawl space, and how often its host is looked up. */
async function judge(space: string, address?: string, parts: { url?: string; discoveredVia?: 'link' | 'root' } = {}) {
  const crawlSpace = { global: false, rules: parseCrawlSpace(space, 'space', 'local').rules, place: placeAt(1) };
  const crawler = (name: string, more: object) =>
    crawlerDefinition({ name, roots: [rootDefinition(`http://${name}.example/`, { site: true })], ...more });
  const crawlers = [crawler('docs', { crawlSpace }), crawler('shop', {})];
  const contexts = compileContexts({ crawlers, fetchers: [{ name: crawlers[0]!.fetcher }], sinks: [] } as never);
  let lookups = 0;
  const dns = {
    resolve: async () => {
      lookups++;
      return address;
    },
  };
  const state = { url: 'http://a.example/x', discoveredVia: 'link', hops: 1, root: undefined, ...parts } as const;
  const { exclusion } = await judgeUrl(contexts.get('docs')!, state, dns);
  return { exclusion, lookups };
}

it.each([
  ['', undefined, 0, undefined],
  ['forbid domain a.example', undefined, 0, 'crawl-space-domain'],
  ['forbid address 10.0.0.0/8', '10.1.2.3', 1, 'crawl-space-address'],
  ['forbid address 10.0.0.0/8', '192.0.2.1', 1, undefined],
  ['forbid address 10.0.0.0/8', undefined, 1, undefined],
  [ONLY_PRIVATE, '10.0.0.1', 1, undefined],
  [ONLY_PRIVATE, '192.0.2.1', 1, 'crawl-space-domain'],
])('with the crawl space %j, a host with the address %s is looked up %d times and excluded by %s', async (...row) => {
  const [space, address, lookups, reason] = row;
  const judged = await judge(space, address);
  expect(judged.lookups).toBe(lookups);
  if (reason === undefined) expect(judged.exclusion).toBeUndefined();
  else expect(judged.exclusion).toMatchObject({ kind: 'excluded', reason, byConfiguration: lookups === 0 });
});

it('a page whose host would have to be allowed by an address that is unknown is tried again, not excluded', async () => {
  expect((await judge(ONLY_PRIVATE)).exclusion).toMatchObject({ kind: 'error', code: 'dns-no-answer' });
});

it('a page of the site of another crawler with the same sink is left to it with its document, and not visited again', async () => {
  const left = { reason: 'owned-by-another-crawler', keepDocument: true, revisit: false };
  expect((await judge('', undefined, OTHER)).exclusion).toMatchObject(left);
  expect((await judge('', undefined, { ...OTHER, discoveredVia: 'root' })).exclusion).toBeUndefined();
  expect((await judge('forbid domain *', undefined, OTHER)).exclusion).toMatchObject({ reason: 'crawl-space-domain' });
});
