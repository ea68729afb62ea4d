/**
 * Finds what was probably not intended in a configuration that compiles. Every finding is a warning with its place; the
 * codes are in lint/codes.ts.
 */
import type { CrawlerDefinition, ServerDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { runAtOnce, type Steps } from '../steps.js';
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
export const lint = (definition: ServerDefinition): Problem[] => runAtOnce(lintInSteps(definition));

export function* lintInSteps(definition: ServerDefinition): Steps<Problem[]> {
  const problems: Problem[] = [];
  for (const crawler of definition.crawlers)
    problems.push(...keepFirst(yield* lintCrawler(crawler, definition.globalCrawlSpace)));
  return [...problems, ...lintGlobalSpace(definition), ...lintFetcherHeaders(definition)];
}

/** Nobody reads more warnings of one kind about one crawler, and generated lists have one for each of their entries. */
const MAX_PER_CODE = 100;

function keepFirst(problems: readonly Problem[]): Problem[] {
  const counts = new Map<string, number>();
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
  const seen = new Map<string, number>();
  return problems.flatMap((problem) => {
    const position = (seen.get(problem.code) ?? 0) + 1;
    seen.set(problem.code, position);
    const others = (counts.get(problem.code) ?? 0) - MAX_PER_CODE;
    if (others <= 0 || position < MAX_PER_CODE) return [problem];
    return position > MAX_PER_CODE
      ? []
      : [{ ...problem, message: `${problem.message} (and ${others} more like this)` }];
  });
}

function* lintCrawler(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
): Steps<Problem[]> {
  const { crawlSpace, servers, conditions, linkRules } = crawler;
  return [
    ...(yield* lintRules(crawler)),
    ...(yield* lintRoots(crawler, globalCrawlSpace)),
    ...(yield* lintPrefixes(crawler)),
    ...(yield* lintBlanks(crawler)),
    ...(yield* lintLists(crawler)),
    ...(yield* lintOperators(crawler)),
    ...lintAccess(crawler),
    ...(yield* lintSites(crawler)),
    ...(crawlSpace ? lintSpaceRules(crawlSpace.rules, linkRules.protocols) : []),
    ...(servers ? yield* lintServers(servers, linkRules.protocols) : []),
    ...(conditions ? lintConditions(conditions, linkRules.protocols) : []),
    ...(conditions ? lintConditionSecrets(conditions, crawler.roots) : []),
  ];
}

/** Checks lists that are applied before any rule, so that no rule can accept what they exclude. */
export function* lintLists(crawler: CrawlerDefinition): Steps<Problem[]> {
  const ignoredExtensions = new Set(crawler.linkRules.ignoreLinksTo);
  const named = yield* listNamedExtensions(crawler, crawler.linkRules.ignoreLinksTo);
  return named
    .filter(({ extension }) => ignoredExtensions.has(extension))
    .map(({ extension, namedBy, place }) => {
      const message = `${namedBy} accepts .${extension}, but ignoreLinksTo of LinkRules excludes links to it before any rule: remove ${extension} from that list`;
      return createLintWarning('list-before-rule', place, message);
    });
}

/** A page has names that no rule can foresee: such as a second host name or a proxy. */
function lintAccess({ acl, place }: CrawlerDefinition): Problem[] {
  if (!acl || acl.default.length === 0 || acl.rules.length === 0) return [];
  const message = `the default "${acl.default.slice(0, 3).join(', ')}" of cw:Acl applies to every host without a rule, also to another public name of a host with rules: leave it empty, and write a rule for each host that is open`;
  return [createLintWarning('default-beside-rules', acl.place ?? place, message)];
}
