/** Finds roots that the policy rejects, and roots that are matched by a rule of another group. */
import type { CrawlerDefinition, RootDefinition } from '../../crawl/definition.js';
import { formatPlace, type Problem } from '../../crawl/place.js';
import type { GlobalCrawlSpaceDefinition } from '../../crawl/policy-definition.js';
import { flatMapInSteps, forEachInSteps, type Steps } from '../../steps.js';
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

export function* lintRoots(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
): Steps<Problem[]> {
  const canonicalize = createCanonicalizer(crawler.canonicalization);
  const problems: Problem[] = [];
  const roots: Root[] = [];
  yield* forEachInSteps(crawler.roots, (definition) => {
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
  });
  return [
    ...problems,
    ...(yield* lintRejectedRoots(crawler, globalCrawlSpace, roots)),
    ...(yield* lintGroupCrossings(crawler, roots)),
  ];
}

const getPlace = (root: RootDefinition, crawler: CrawlerDefinition) => root.place ?? crawler.place;

function* lintRejectedRoots(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  roots: readonly Root[],
): Steps<Problem[]> {
  const policy = compilePolicy(crawler, globalCrawlSpace);
  const byCause = new Map<string, Problem[]>();
  yield* forEachInSteps(roots, ({ definition, url }) => {
    const verdict = policy.judge({ url, discoveredVia: 'root', root: createRootContext(definition, url), hops: 0 });
    if (verdict.accepted) return;
    const explanation = verdict.detail ?? REASONS[verdict.reason].meaning;
    const message = `root ${url.href} is rejected (${verdict.reason}): ${explanation}. ${REASONS[verdict.reason].remedy}`;
    const problem = createLintWarning('root-rejected', getPlace(definition, crawler), message);
    const cause = `${verdict.reason} ${verdict.place ? formatPlace(verdict.place) : ''}`;
    const problems = byCause.get(cause);
    if (problems) problems.push(problem);
    else byCause.set(cause, [problem]);
  });
  return [...byCause.values()].flatMap((problems) => {
    const [first, ...others] = problems;
    if (!first || problems.length <= MAX_SHOWN) return problems;
    return [{ ...first, message: `${first.message} (and ${others.length} more roots for the same reason)` }];
  });
}

/** A list of roots of which more are rejected for one reason has one mistake. */
const MAX_SHOWN = 3;

/**
 * Groups only organize rules: each rule applies to every root of its crawler, even if its group's name suggests
 * otherwise.
 */
function* lintGroupCrossings(crawler: CrawlerDefinition, roots: readonly Root[]): Steps<Problem[]> {
  const groups = new Set(roots.map(({ definition }) => definition.group));
  return yield* flatMapInSteps(crawler.rules, (rule) => {
    if (!groups.has(rule.group)) return [];
    const { matches } = compileExpression(rule.match, []);
    const otherRoot = roots.find(
      ({ definition, url }) =>
        definition.group !== undefined && definition.group !== rule.group && matches(new Subject(url)),
    );
    if (!otherRoot) return [];
    const message = `rule ${rule.number} of group "${rule.group}" also matches root ${otherRoot.url.href} of group "${otherRoot.definition.group}": groups only organize rules, and each rule applies to all roots`;
    return [createLintWarning('group-crossing', rule.place, message)];
  });
}
