import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryCandidate, arbitraryDefinition } from '../../../test/support/arbitrary-policy.js';
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import { compilePolicy } from '../../domain/policy/crawl-policy.js';
import type { Candidate } from '../../domain/policy/verdict.js';
import { canonicalizer } from '../../domain/url/canonicalize.js';
import type { CrawlContext } from './crawl-context.js';
import { LinkCollector } from './link-collector.js';
import { LinkMemory } from './link-memory.js';

/** What comes of links that stand on the page of `origin`, for one who remembers what this memory does. */
function collected(definition: CrawlerDefinition, memory: LinkMemory, origin: Candidate, links: readonly string[]) {
  const context = {
    policy: compilePolicy(definition, undefined),
    canonicalize: canonicalizer(definition.canonicalization),
  } as CrawlContext;
  const { url, root, hops } = origin;
  const collector = new LinkCollector(context, memory, { url, root, hops, inheritedMetas: undefined });
  for (const link of links) collector.add(link, url.href);
  return { taken: collector.links.map((link) => link.url), refused: collector.refused.map((link) => link.url) };
}

describe('links of a page', () => {
  test('are refused and taken as if no other page had been read', () => {
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
          again += remembered.refused.filter((url) => memory.writtenOn(other.url.href).get(url) !== undefined).length;
        },
      ),
      { numRuns: 500 },
    );
    expect(again).toBeGreaterThan(20);
  });
});
