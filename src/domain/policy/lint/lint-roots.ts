/** Roots that the policy rejects, and roots that a rule of another group matches. */
import type { CrawlerDefinition, RootDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import type { GlobalCrawlSpaceDefinition } from '../../crawl/policy-definition.js';
import { createCanonicalizer } from '../../url/canonicalize.js';
import { type CrawlUrl } from '../../url/crawl-url.js';
import { compilePolicy } from '../crawl-policy.js';
import { compileExpression } from '../matching/expression.js';
import { Subject } from '../matching/subject.js';
import { REASONS } from '../reasons.js';
import { createRootContext } from '../site-mode.js';
import { createLintWarning } from './codes.js';

interface Root {
  readonly definition: RootDefinition;
  readonly url: CrawlUrl;
}

export function lintRoots(crawler: CrawlerDefinition, global: GlobalCrawlSpaceDefinition | undefined): Problem[] {
  const canonicalize = createCanonicalizer(crawler.canonicalization);
  const problems: Problem[] = [];
  const roots: Root[] = [];
  for (const definition of crawler.roots) {
    const url = canonicalize(definition.url);
    if (url) roots.push({ definition, url });
    else
      problems.push(
        createLintWarning(
          'root-rejected',
          getPlace(definition, crawler),
          `root "${definition.url}" is not a URL with a host: write http://host/`,
        ),
      );
  }
  return [...problems, ...lintRejectedRoots(crawler, global, roots), ...lintGroupCrossings(crawler, roots)];
}

const getPlace = (root: RootDefinition, crawler: CrawlerDefinition) => root.place ?? crawler.place;

function lintRejectedRoots(
  crawler: CrawlerDefinition,
  global: GlobalCrawlSpaceDefinition | undefined,
  roots: readonly Root[],
): Problem[] {
  const policy = compilePolicy(crawler, global);
  return roots.flatMap(({ definition, url }) => {
    const verdict = policy.judge({ url, discoveredVia: 'root', root: createRootContext(definition, url), hops: 0 });
    if (verdict.accepted) return [];
    const because = verdict.detail ?? REASONS[verdict.reason].meaning;
    const message = `root ${url.href} is rejected (${verdict.reason}): ${because}. ${REASONS[verdict.reason].remedy}`;
    return [createLintWarning('root-rejected', getPlace(definition, crawler), message)];
  });
}

/**
 * Groups only organise: a rule applies to every root of its crawler, although its group's name may suggest otherwise.
 */
function lintGroupCrossings(crawler: CrawlerDefinition, roots: readonly Root[]): Problem[] {
  const groups = new Set(roots.map(({ definition }) => definition.group));
  return crawler.rules.flatMap((rule) => {
    if (!groups.has(rule.group)) return [];
    const { matches } = compileExpression(rule.match, []);
    const other = roots.find(
      ({ definition, url }) =>
        definition.group !== undefined && definition.group !== rule.group && matches(new Subject(url)),
    );
    if (!other) return [];
    const message = `rule ${rule.number} of group "${rule.group}" also matches root ${other.url.href} of group "${other.definition.group}": groups only organize, rules apply to all roots`;
    return [createLintWarning('group-crossing', rule.place, message)];
  });
}
