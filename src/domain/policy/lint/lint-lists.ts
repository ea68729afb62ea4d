/** Checks lists that are applied before any rule, so that no rule can accept what they exclude. */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import { listNamedExtensions } from '../named-extensions.js';
import { createLintWarning } from './codes.js';

export function lintLists(crawler: CrawlerDefinition): Problem[] {
  const ignoredExtensions = new Set(crawler.linkRules.ignoreLinksTo);
  return listNamedExtensions(crawler)
    .filter(({ extension }) => ignoredExtensions.has(extension))
    .map(({ extension, namedBy, place }) => {
      const message = `${namedBy} accepts .${extension}, but ignoreLinksTo of LinkRules excludes links to it before any rule: remove ${extension} from that list`;
      return createLintWarning('list-before-rule', place, message);
    });
}
