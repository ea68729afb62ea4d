/** The crawl spaces: files of rules beside the configuration. */
import type { CrawlSpaceDefinition, GlobalCrawlSpaceDefinition } from '../../../domain/crawl/definition.js';
import { type CrawlSpaceKind, parseCrawlSpace } from '../../../domain/policy/crawl-space-file.js';
import { type Node, one } from '../interpret.js';
import * as policy from '../schema/policy.js';
import type { ReadContext } from './context.js';

export const readCrawlSpace = (crawler: Node, context: ReadContext): CrawlSpaceDefinition | undefined =>
  readRulesFile(one(crawler, policy.CRAWL_SPACE), context, 'local');

export const readGlobalCrawlSpace = (root: Node, context: ReadContext): GlobalCrawlSpaceDefinition | undefined =>
  readRulesFile(one(root, policy.GLOBAL_CRAWL_SPACE), context, 'global');

type RulesNode = Node<typeof policy.CRAWL_SPACE.attributes>;

function readRulesFile(
  node: RulesNode | undefined,
  { problems, readFile }: ReadContext,
  kind: CrawlSpaceKind,
): CrawlSpaceDefinition | undefined {
  if (!node) return undefined;
  const file = node.values.rules;
  const text = readFile(file, node.place, kind === 'global' ? 'global-crawl-space' : 'crawl-space');
  if (text === undefined) return undefined;
  const parsed = parseCrawlSpace(text, file, kind);
  for (const problem of parsed.problems) problems.take(problem);
  return { file, rules: parsed.rules };
}
