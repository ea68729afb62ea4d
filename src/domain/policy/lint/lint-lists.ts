/** Lists that are consulted before any rule, so no rule can accept what they exclude. */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import { listNamedExtensions } from '../named-extensions.js';
import { createLintWarning } from './codes.js';

export function lintLists(crawler: CrawlerDefinition): Problem[] {
  const ignored = new Set(crawler.linkRules.ignoreLinksTo);
  return listNamedExtensions(crawler)
    .filter(({ extension }) => ignored.has(extension))
    .map(({ extension, by, place }) => {
      const message = `${by} accepts .${extension}, but ignoreLinksTo of LinkRules excludes links to it before any rule: remove ${extension} from that list`;
      return createLintWarning('list-before-rule', place, message);
    });
}
