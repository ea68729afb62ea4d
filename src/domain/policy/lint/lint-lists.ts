/** Lists that are consulted before any rule: no rule accepts what they contain. */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import { namedExtensions } from '../named-extensions.js';
import { lintWarning } from './codes.js';

export function lintLists(crawler: CrawlerDefinition): Problem[] {
  const ignored = new Set(crawler.linkRules.ignoreLinksTo);
  return namedExtensions(crawler)
    .filter(({ extension }) => ignored.has(extension))
    .map(({ extension, by, place }) => {
      const message = `${by} lets in .${extension}, but ignoreLinksTo of LinkRules keeps links to it out before any rule: take ${extension} off that list`;
      return lintWarning('list-before-rule', place, message);
    });
}
