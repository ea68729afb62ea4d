/** Reads the crawl spaces from the rule files that the configuration names. */
import type { CrawlSpaceDefinition, GlobalCrawlSpaceDefinition } from '../../../domain/crawl/policy-definition.js';
import { type CrawlSpaceKind, parseCrawlSpace } from '../../../domain/policy/crawl-space-file.js';
import { findEncodingProblem } from '../../../domain/policy/rule-file-problems.js';
import { findOnlyChild, type Node } from '../interpret.js';
import * as policy from '../schema/policy.js';
import type { ReadContext } from './context.js';

export const readCrawlSpace = (crawler: Node, context: ReadContext): CrawlSpaceDefinition | undefined =>
  readRulesFile(findOnlyChild(crawler, policy.CRAWL_SPACE), context, 'local');

/** OmniFind: "the presence of a global.rules file enables the global crawl space function". */
const GLOBAL_RULES = 'global.rules';

export function readGlobalCrawlSpace(root: Node, context: ReadContext): GlobalCrawlSpaceDefinition | undefined {
  const node = findOnlyChild(root, policy.GLOBAL_CRAWL_SPACE);
  if (node) return readRulesFile(node, context, 'global');
  const text = context.readOptionalFile(GLOBAL_RULES, root.place, 'global-crawl-space');
  return text === undefined ? undefined : parseRules(text, GLOBAL_RULES, 'global', context);
}

type RulesNode = Node<typeof policy.CRAWL_SPACE.attributes>;

function readRulesFile(
  node: RulesNode | undefined,
  context: ReadContext,
  kind: CrawlSpaceKind,
): CrawlSpaceDefinition | undefined {
  if (!node) return undefined;
  const file = node.values.rules;
  const text = context.readFile(file, node.place, kind === 'global' ? 'global-crawl-space' : 'crawl-space');
  return text === undefined ? undefined : parseRules(text, file, kind, context);
}

function parseRules(
  text: string,
  file: string,
  kind: CrawlSpaceKind,
  { problems }: ReadContext,
): CrawlSpaceDefinition | undefined {
  const encodingProblem = findEncodingProblem(text, file);
  if (encodingProblem) {
    problems.addProblem(encodingProblem);
    return undefined;
  }
  const parsed = parseCrawlSpace(text, file, kind);
  for (const problem of parsed.problems) problems.addProblem(problem);
  return { file, rules: parsed.rules };
}
