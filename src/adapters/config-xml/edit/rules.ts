/** Lists, inserts, replaces, deletes and moves individual crawl rules. The rest of the text is unchanged. */
import type { Problem } from '../../../domain/crawl/place.js';
import { type XmlElement, XmlFault } from '../document.js';
import { escapeAttribute } from '../markup.js';
import { checkRule, type Prefixes, type RuleJson, ruleToJson, ruleToXml } from '../rule-json.js';
import {
  appendChild,
  applySplices,
  findRangeWithComments,
  insertAfter,
  insertBefore,
  type NewXml,
  removeElement,
  replaceElement,
  type Splice,
} from '../splice.js';
import {
  EditError,
  findChildren,
  findPrefixes,
  formatQualifiedName,
  getAttributeValue,
  type OpenedCrawler,
  openCrawler,
} from './scope.js';

export interface RuleView extends RuleJson {
  /** 0-based, across all Rules blocks of the crawler. */
  readonly index: number;
  readonly group: string;
  readonly key?: string;
  readonly xml: string;
}

/** A rule to write: as XML (one Rule element) or as JSON. */
export type RuleInput = { readonly group?: string; readonly key?: string } & ({ readonly xml: string } | RuleJson);

export function listRules(xml: string, crawler: string): RuleView[] {
  return findRules(openCrawler(xml, crawler)).map(({ element, block }, index) => {
    const key = getAttributeValue(block, 'key');
    return {
      index,
      group: getGroup(block),
      ...(key === undefined ? {} : { key }),
      ...ruleToJson(element),
      xml: xml.slice(element.start, element.end),
    };
  });
}

/**
 * Inserts a rule at the index, by default at the end. Without a group, it joins the group of the previous rule or, if
 * there is none, the next one.
 */
export function insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string {
  const openedCrawler = openCrawler(xml, crawler);
  const rules = findRules(openedCrawler);
  const position = index ?? rules.length;
  if (!Number.isInteger(position) || position < 0 || position > rules.length) {
    throw new EditError('bad-index', `there are ${rules.length} rules: specify an index from 0 to ${rules.length}`);
  }
  const text = renderRule(rule, findPrefixes(openedCrawler));
  return applySplices(xml, [
    createInsertion(openedCrawler, rules, position, { xml: text, group: rule.group, key: rule.key }),
  ]);
}

/** Replaces a rule, which keeps its group and key. */
export function replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string {
  const openedCrawler = openCrawler(xml, crawler);
  const { element } = getRule(openedCrawler, index);
  const text = renderRule(rule, findPrefixes(openedCrawler));
  return applySplices(xml, [replaceElement(openedCrawler.document, element, text)]);
}

export function deleteRule(xml: string, crawler: string, index: number): string {
  const openedCrawler = openCrawler(xml, crawler);
  return applySplices(xml, [removeElement(openedCrawler.document, getRule(openedCrawler, index).element)]);
}

/**
 * Moves a rule unchanged, with its comments, so that its new index is `to`. It keeps its group if one of its new neighbors belongs to it,
 * and joins a neighbor's group otherwise.
 */
export function moveRule(xml: string, crawler: string, from: number, to: number): string {
  const openedCrawler = openCrawler(xml, crawler);
  const { element, block } = getRule(openedCrawler, from);
  getRule(openedCrawler, to);
  if (from === to) return xml;
  const range = findRangeWithComments(openedCrawler.document, element);
  const text = xml.slice(range.start, range.end);
  const crawlerWithoutRule = openCrawler(applySplices(xml, [removeElement(openedCrawler.document, range)]), crawler);
  const rules = findRules(crawlerWithoutRule);
  const neighbors = [rules[to - 1], rules[to]].filter((rule) => rule !== undefined);
  const group = getGroup(block);
  const keepsGroup = neighbors.some((rule) => getGroup(rule.block) === group);
  const movedRule = { xml: text, group: keepsGroup ? group : undefined, key: undefined };
  return applySplices(crawlerWithoutRule.document.text, [createInsertion(crawlerWithoutRule, rules, to, movedRule)]);
}

interface FoundRule {
  readonly element: XmlElement;
  readonly block: XmlElement;
}

const getGroup = (block: XmlElement): string => getAttributeValue(block, 'group') ?? 'default';

const findRules = ({ element }: OpenedCrawler): FoundRule[] =>
  findChildren(element, 'Rules').flatMap((block) =>
    findChildren(block, 'Rule').map((rule) => ({ element: rule, block })),
  );

function getRule(openedCrawler: OpenedCrawler, index: number): FoundRule {
  const rules = findRules(openedCrawler);
  const rule = rules[index];
  if (rule) return rule;
  throw new EditError('unknown-rule', `there is no rule ${index}: the crawler has ${rules.length}, counted from 0`);
}

interface NewRule {
  readonly xml: NewXml;
  readonly group: string | undefined;
  readonly key: string | undefined;
}

function createInsertion(
  openedCrawler: OpenedCrawler,
  rules: readonly FoundRule[],
  index: number,
  rule: NewRule,
): Splice {
  const { document, element } = openedCrawler;
  const previousRule = rules[index - 1];
  const nextRule = rules[index];
  const canJoin = (neighbor: FoundRule): boolean => rule.group === undefined || getGroup(neighbor.block) === rule.group;
  if (previousRule && canJoin(previousRule)) return insertAfter(document, previousRule.element, rule.xml);
  if (nextRule && canJoin(nextRule)) return insertBefore(document, nextRule.element, rule.xml);
  if (previousRule && nextRule && previousRule.block === nextRule.block) {
    const message = `index ${index} is inside the group ${getGroup(previousRule.block)}: omit the group, or choose another index`;
    throw new EditError('bad-index', message);
  }
  const emptyBlock = findChildren(element, 'Rules').find(
    (block) => rules.length === 0 && getGroup(block) === (rule.group ?? getGroup(block)),
  );
  if (emptyBlock) return appendChild(document, emptyBlock, rule.xml);
  const block = renderBlock(rule, element.prefix);
  if (previousRule) return insertAfter(document, previousRule.block, block);
  if (nextRule) return insertBefore(document, nextRule.block, block);
  return appendChild(document, element, block);
}

function renderBlock({ xml, group = 'default', key }: NewRule, prefix: string): string[] {
  const name = formatQualifiedName('Rules', prefix);
  const keyAttribute = key === undefined ? '' : ` key="${escapeAttribute(key)}"`;
  const lines = typeof xml === 'string' ? [xml] : xml;
  return [
    `<${name} group="${escapeAttribute(group)}"${keyAttribute}>`,
    ...lines.map((line) => `  ${line}`),
    `</${name}>`,
  ];
}

/** @throws EditError with all errors of the rule, if there are any */
function renderRule(rule: RuleInput, prefixes: Prefixes): NewXml {
  try {
    const source = 'xml' in rule ? rule.xml : ruleToXml(rule, prefixes);
    const { xml, problems } = checkRule(typeof source === 'string' ? source : source.join('\n'));
    if (problems.hasErrors) {
      const errors = problems.toSorted().filter(({ severity }) => severity === 'error');
      throw new EditError('bad-rule', 'the rule has errors', errors);
    }
    return typeof source === 'string' ? xml : source;
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const problem: Problem = { severity: 'error', code: error.code, message: error.message, place: error.place };
    throw new EditError('bad-rule', 'the rule is not well-formed', [problem]);
  }
}
