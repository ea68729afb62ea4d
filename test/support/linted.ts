/** Linter messages for parts of a configuration. */
import type { CrawlerDefinition, ServerDefinition } from '../../src/domain/crawl/definition.js';
import type { MatchExpression, RuleActions } from '../../src/domain/crawl/policy-definition.js';
import { lint } from '../../src/domain/policy/linter.js';
import { crawlerDefinition, ruleDefinition } from './crawler-definition.js';

export const server = (
  crawlers: readonly CrawlerDefinition[],
  parts: Partial<ServerDefinition> = {},
): ServerDefinition => ({
  crawlers,
  fetchers: [],
  sinks: [],
  ...parts,
});
export const codes = (parts: Partial<CrawlerDefinition>): string[] =>
  lint(server([crawlerDefinition(parts)])).map(({ code, place: at }) => `${at.line} ${code}`);
export const messages = (parts: Partial<CrawlerDefinition>): string[] =>
  lint(server([crawlerDefinition(parts)])).map(({ message }) => message);

type Line = readonly [MatchExpression, Partial<RuleActions>];
/** With the lines 1, 2 and so on. */
export const rulesOf = (...lines: Line[]) => lines.map(([match, actions], i) => ruleDefinition(i + 1, match, actions));
