import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryCandidate, arbitraryDefinition } from '../../../test/support/arbitrary-policy.js';
import { crawlerDefinition, rootDefinition } from '../../../test/support/crawler-definition.js';
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { compilePolicy } from '../../domain/policy/crawl-policy.js';
import { createRootContext } from '../../domain/policy/site-mode.js';
import type { Candidate } from '../../domain/policy/verdict.js';
import { createCanonicalizer } from '../../domain/url/canonicalize.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { CrawlContext } from './crawl-context.js';
import { LinkCollector } from './link-collector.js';
import { LinkMemory } from './link-memory.js';

/** The outcome of links on the page `origin`, given what this memory remembers. */
function collected(definition: CrawlerDefinition, memory: LinkMemory, origin: Candidate, links: readonly string[]) {
  const context = {
    policy: compilePolicy(definition, undefined),
    canonicalize: createCanonicalizer(definition.canonicalization),
  } as CrawlContext;
  const { url, root, hops } = origin;
  const collector = new LinkCollector(context, memory, { url, root, hops });
  for (const link of links) collector.add(link, url.href);
  return { taken: collector.links.map((link) => link.url), refused: collector.refused.map((link) => link.url) };
}

describe('links of a page', () => {
  test('are refused and accepted independently of pages read before', () => {
    const links = fc.array(
      arbitraryCandidate.map(({ url }) => url.href),
      { minLength: 1, maxLength: 8 },
    );
    let again = 0;
    fc.assert(
      fc.property(
        arbitraryDefinition,
        arbitraryCandidate,
        arbitraryCandidate,
        links,
        (definition, one, other, hrefs) => {
          const memory = new LinkMemory();
          const { taken } = collected(definition, memory, one, hrefs);
          const unknown = hrefs.filter((href) => !taken.includes(href));
          const remembered = collected(definition, memory, other, unknown);
          expect(remembered).toEqual(collected(definition, new LinkMemory(), other, unknown));
          again += remembered.refused.filter(
            (url) => memory.getWrittenLinks(other.url.href).get(url) !== undefined,
          ).length;
        },
      ),
      { numRuns: 200 },
    );
    expect(again).toBeGreaterThan(5);
  });

  const page: Candidate = { url: toCrawlUrl('http://h.example/'), discoveredVia: 'link', root: undefined, hops: 1 };

  test('that no rule accepts are accepted on the pages of a root whose site they are on', () => {
    const memory = new LinkMemory();
    const definition = { ...crawlerDefinition(), defaultAccept: false };
    expect(collected(definition, memory, page, ['http://h.example/a']).refused).toEqual(['http://h.example/a']);
    const root = createRootContext(rootDefinition('http://h.example/', { site: true }), page.url);
    const onSite = collected(definition, memory, { ...page, root }, ['http://h.example/a', 'http://i.example/']);
    expect(onSite).toEqual({ taken: ['http://h.example/a'], refused: ['http://i.example/'] });
  });

  test('are not those to a place on the page itself', () => {
    const { taken, refused } = collected(crawlerDefinition(), new LinkMemory(), page, ['#top', '#', '/a#b']);
    expect([taken, refused]).toEqual([['http://h.example/a'], []]);
  });

  test('that a rule refuses because of their page are judged again on the next one', () => {
    const memory = new LinkMemory();
    const plain = crawlerDefinition();
    const definition = { ...plain, linkRules: { ...plain.linkRules, followOffsite: false } };
    const links = ['http://i.example/x'];
    expect(collected(definition, memory, page, links).refused).toEqual(links);
    expect(collected(definition, memory, { ...page, url: toCrawlUrl('http://i.example/') }, links).taken).toEqual(
      links,
    );
  });

  test('to many places on one page are resolved once', () => {
    let resolved = 0;
    const canonicalize = createCanonicalizer(crawlerDefinition().canonicalization);
    const context = {
      policy: compilePolicy(crawlerDefinition(), undefined),
      canonicalize: (...parts: Parameters<typeof canonicalize>) => {
        resolved++;
        return canonicalize(...parts);
      },
    } as CrawlContext;
    const collector = new LinkCollector(context, new LinkMemory(), { url: page.url, root: undefined, hops: 1 });
    for (let i = 0; i < 100; i++) for (const raw of [`/a#${i}`, `#${i}`]) collector.add(raw, page.url.href);
    expect(collector.links.map(({ url }) => url)).toEqual(['http://h.example/a']);
    expect(resolved).toBe(1);
  });

  const long = (length: number, from = 0): string[] =>
    Array.from({ length: 1_000 }, (_, i) => `/${from + i}/${'a'.repeat(length)}`);

  test('that are too long are refused without a lookup, which would take V8 minutes for thousands of them', () => {
    const memory = new LinkMemory();
    const lookedFor: number[] = [];
    memory.isReported = (href) => lookedFor.push(href.length) < 0;
    const { refused } = collected(crawlerDefinition(), memory, page, [...long(20_000), ...long(3_000)]);
    expect(refused.length).toBeGreaterThan(190);
    expect(Math.max(...lookedFor)).toBeLessThan(4_000);
  });

  test('are reported in bounded space when they are refused', () => {
    const links = [1, 1_001, 2_001].flatMap((from) => long(2_500, from));
    const { refused } = collected(crawlerDefinition(), new LinkMemory(), page, links);
    expect(refused.length).toBeGreaterThan(1_000);
    expect(refused.reduce((sum, url) => sum + url.length, 0)).toBeLessThan(4_000_000);
  });
});
