/** Edits individual crawl rules: list, insert, replace, delete, move. The rest of the text is unchanged. */
import type { Problem } from '../../../domain/crawl/place.js';
import { type XmlElement, XmlFault } from '../document.js';
import { escapeAttribute } from '../markup.js';
import { checkRule, type Prefixes, type RuleJson, ruleToJson, ruleToXml } from '../rule-json.js';
import {
  appendChild,
  applySplices,
  insertAfter,
  insertBefore,
  type NewXml,
  removeElement,
  replaceElement,
  type Splice,
} from '../splice.js';
import { EditError } from './error.js';
import {
  findChildren,
  findPrefixes,
  formatQualifiedName,
  getAttributeValue,
  type Opened,
  openCrawler,
} from './scope.js';

export interface RuleView extends RuleJson {
  /** 0-based, over all Rules blocks of the crawler. */
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

/** Inserts a rule at the index, or at the end. Without a group, the rule joins the group of the previous rule. */
export function insertRule(xml: string, crawler: string, rule: RuleInput, index?: number): string {
  const opened = openCrawler(xml, crawler);
  const rules = findRules(opened);
  const at = index ?? rules.length;
  if (!Number.isInteger(at) || at < 0 || at > rules.length) {
    throw new EditError('bad-index', `there are ${rules.length} rules: specify an index from 0 to ${rules.length}`);
  }
  const text = renderRule(rule, findPrefixes(opened));
  return applySplices(xml, [createInsertion(opened, rules, at, { xml: text, group: rule.group, key: rule.key })]);
}

/** Replaces a rule, which keeps its group and key. */
export function replaceRule(xml: string, crawler: string, index: number, rule: RuleInput): string {
  const opened = openCrawler(xml, crawler);
  const { element } = getRule(opened, index);
  const text = renderRule(rule, findPrefixes(opened));
  return applySplices(xml, [replaceElement(opened.document, element, text)]);
}

export function deleteRule(xml: string, crawler: string, index: number): string {
  const opened = openCrawler(xml, crawler);
  return applySplices(xml, [removeElement(opened.document, getRule(opened, index).element)]);
}

/** Moves a rule; `to` is its index afterwards. Its text is unchanged; it joins the group of its new neighbours. */
export function moveRule(xml: string, crawler: string, from: number, to: number): string {
  const opened = openCrawler(xml, crawler);
  const { element, block } = getRule(opened, from);
  getRule(opened, to);
  if (from === to) return xml;
  const text = xml.slice(element.start, element.end);
  const without = openCrawler(applySplices(xml, [removeElement(opened.document, element)]), crawler);
  const rules = findRules(without);
  const neighbours = [rules[to - 1], rules[to]].filter((rule) => rule !== undefined);
  const group = getGroup(block);
  const stays = neighbours.some((rule) => getGroup(rule.block) === group);
  const placed = { xml: text, group: stays ? group : undefined, key: undefined };
  return applySplices(without.document.text, [createInsertion(without, rules, to, placed)]);
}

interface FoundRule {
  readonly element: XmlElement;
  readonly block: XmlElement;
}

const getGroup = (block: XmlElement): string => getAttributeValue(block, 'group') ?? 'default';

const findRules = ({ element }: Opened): FoundRule[] =>
  findChildren(element, 'Rules').flatMap((block) =>
    findChildren(block, 'Rule').map((rule) => ({ element: rule, block })),
  );

function getRule(opened: Opened, index: number): FoundRule {
  const rules = findRules(opened);
  const rule = rules[index];
  if (rule) return rule;
  throw new EditError('unknown-rule', `there is no rule ${index}: the crawler has ${rules.length}, counted from 0`);
}

interface NewRule {
  readonly xml: NewXml;
  readonly group: string | undefined;
  readonly key: string | undefined;
}

function createInsertion(opened: Opened, rules: readonly FoundRule[], at: number, rule: NewRule): Splice {
  const { document, element } = opened;
  const before = rules[at - 1];
  const after = rules[at];
  const canJoin = (found: FoundRule): boolean => rule.group === undefined || getGroup(found.block) === rule.group;
  if (before && canJoin(before)) return insertAfter(document, before.element, rule.xml);
  if (after && canJoin(after)) return insertBefore(document, after.element, rule.xml);
  if (before && after && before.block === after.block) {
    const message = `index ${at} is inside the group ${getGroup(before.block)}: leave the group out, or choose another index`;
    throw new EditError('bad-index', message);
  }
  const empty = findChildren(element, 'Rules').find(
    (block) => rules.length === 0 && getGroup(block) === (rule.group ?? getGroup(block)),
  );
  if (empty) return appendChild(document, empty, rule.xml);
  const block = renderBlock(rule, element.prefix);
  if (before) return insertAfter(document, before.block, block);
  if (after) return insertBefore(document, after.block, block);
  return appendChild(document, element, block);
}

function renderBlock({ xml, group = 'default', key }: NewRule, prefix: string): string[] {
  const name = formatQualifiedName('Rules', prefix);
  const mark = key === undefined ? '' : ` key="${escapeAttribute(key)}"`;
  const lines = typeof xml === 'string' ? [xml] : xml;
  return [`<${name} group="${escapeAttribute(group)}"${mark}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
}

/** @throws EditError with all errors of the rule */
function renderRule(rule: RuleInput, prefixes: Prefixes): NewXml {
  try {
    const written = 'xml' in rule ? rule.xml : ruleToXml(rule, prefixes);
    const { xml, problems } = checkRule(typeof written === 'string' ? written : written.join('\n'));
    if (problems.hasErrors) {
      const errors = problems.sort().filter(({ severity }) => severity === 'error');
      throw new EditError('bad-rule', 'the rule has errors', errors);
    }
    return typeof written === 'string' ? xml : written;
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const problem: Problem = { severity: 'error', code: error.code, message: error.message, place: error.place };
    throw new EditError('bad-rule', 'the rule is not well-formed', [problem]);
  }
}
