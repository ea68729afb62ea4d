/**
 * Finds what was probably not intended in a configuration that compiles. Every finding is a warning with its place; the
 * codes are in lint/codes.ts.
 */
import type { CrawlerDefinition, ServerDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { createLintWarning } from './lint/codes.js';
import { lintBlanks } from './lint/lint-blanks.js';
import { lintConditions } from './lint/lint-conditions.js';
import { lintOperators } from './lint/lint-operators.js';
import { lintPrefixes } from './lint/lint-prefixes.js';
import { lintRoots } from './lint/lint-roots.js';
import { lintRules } from './lint/lint-rules.js';
import { lintConditionSecrets, lintFetcherHeaders } from './lint/lint-secrets.js';
import { lintSites } from './lint/lint-sites.js';
import { lintGlobalSpace, lintServers, lintSpaceRules } from './lint/lint-spaces.js';
import { listNamedExtensions } from './named-extensions.js';

/** @throws PolicyError if the definition does not compile */
export const lint = (definition: ServerDefinition): Problem[] => [
  ...definition.crawlers.flatMap((crawler) => lintCrawler(crawler, definition.globalCrawlSpace)),
  ...lintGlobalSpace(definition),
  ...lintFetcherHeaders(definition),
];

const lintCrawler = (
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
): Problem[] => [
  ...lintRules(crawler),
  ...lintRoots(crawler, globalCrawlSpace),
  ...lintPrefixes(crawler),
  ...lintBlanks(crawler),
  ...lintLists(crawler),
  ...lintOperators(crawler),
  ...lintAccess(crawler),
  ...lintSites(crawler),
  ...(crawler.crawlSpace ? lintSpaceRules(crawler.crawlSpace.rules, crawler.linkRules.protocols) : []),
  ...(crawler.servers ? lintServers(crawler.servers, crawler.linkRules.protocols) : []),
  ...(crawler.conditions ? lintConditions(crawler.conditions, crawler.linkRules.protocols) : []),
  ...(crawler.conditions ? lintConditionSecrets(crawler.conditions, crawler.roots) : []),
];

/** Checks lists that are applied before any rule, so that no rule can accept what they exclude. */
export function lintLists(crawler: CrawlerDefinition): Problem[] {
  const ignoredExtensions = new Set(crawler.linkRules.ignoreLinksTo);
  return listNamedExtensions(crawler, crawler.linkRules.ignoreLinksTo)
    .filter(({ extension }) => ignoredExtensions.has(extension))
    .map(({ extension, namedBy, place }) => {
      const message = `${namedBy} accepts .${extension}, but ignoreLinksTo of LinkRules excludes links to it before any rule: remove ${extension} from that list`;
      return createLintWarning('list-before-rule', place, message);
    });
}

/** A page has names that no rule can foresee: such as a second host name or a proxy. */
export function lintAccess({ acl, place }: CrawlerDefinition): Problem[] {
  if (!acl || acl.default.length === 0 || acl.rules.length === 0) return [];
  const message = `the default "${acl.default.slice(0, 3).join(', ')}" of cw:Acl applies to every host without a rule, also to another public name of a host with rules: leave it empty, and write a rule for each host that is open`;
  return [createLintWarning('default-beside-rules', acl.place ?? place, message)];
}
