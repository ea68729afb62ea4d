/** Converts the checked elements of crawl rules to match expressions and actions. */
import type { Place } from '../../../domain/crawl/place.js';
import type {
  MatchExpression,
  MatchKind,
  MetaDefinition,
  RuleActions,
  RuleDefinition,
} from '../../../domain/crawl/policy-definition.js';
import { MATCH_ELEMENTS, MATCH_SHORTCUTS } from '../../../domain/policy/match-elements.js';
import { forEachInSteps, type Steps } from '../../../domain/steps.js';
import { findValidChildren, isOfKind, isUnknownAction, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as crawl from '../schema/crawl.js';
import * as rules from '../schema/rules.js';
import { findVocabulary, type Values } from '../schema/spec.js';
import { lengthRange } from '../value-types/plain.js';

/** Reads all rules of a crawler in file order. Invalid rules are reported and omitted. */
export function* readRules(crawler: Node, problems: Problems): Steps<RuleDefinition[]> {
  const definitions: RuleDefinition[] = [];
  let number = 0;
  for (const block of findValidChildren(crawler, crawl.RULES)) {
    const { group, key } = block.values;
    yield* forEachInSteps(findValidChildren(block, crawl.RULE), (node) => {
      number++;
      const rule = readRule(node, problems);
      if (rule) definitions.push({ number, group, ...(key === undefined ? {} : { key }), place: node.place, ...rule });
    });
  }
  return definitions;
}

export function readRule(node: Node, problems: Problems): Pick<RuleDefinition, 'match' | 'actions'> | undefined {
  const matches = node.children.filter((child) => MATCH_ELEMENTS.includes(child.spec.name));
  const match = readConjunction(matches, node.place, problems);
  const actions = readActions(node, problems);
  if (hasUnknownElement(node)) return undefined;
  if (matches.length === 0) {
    problems.add('empty-rule', 'a Rule requires a match element, for example Domain', node.place);
  } else if (matches.length === node.children.length) {
    if (node.element.children.some((child) => isUnknownAction(child, node.spec))) return undefined;
    problems.add('empty-rule', 'a Rule requires an action, for example <Index/><Follow/><Accept/>', node.place);
  }
  return match && { match, actions };
}

/**
 * Whether the element contains one that has been reported as an error because it is unknown. Elements in foreign
 * namespaces and unknown actions do not count, because they are only ignored.
 */
function hasUnknownElement(node: Node): boolean {
  const relevant = node.element.children.filter(
    (child) => findVocabulary(child.namespace, child.prefix) !== 'foreign' && !isUnknownAction(child, node.spec),
  );
  return relevant.length > node.children.length;
}

function readConjunction(nodes: readonly Node[], place: Place, problems: Problems): MatchExpression | undefined {
  const children = nodes.map((node) => readMatch(node, problems));
  if (!children.every((child) => child !== undefined)) return undefined;
  return children.length === 1 ? children[0] : { type: 'and', children, place };
}

function readMatch(node: Node, problems: Problems): MatchExpression | undefined {
  if (node.broken) return undefined;
  const { place } = node;
  if (['And', 'Or', 'Not'].includes(node.spec.name)) return readLogicalOperator(node, problems);
  if (isOfKind(node, rules.LENGTH)) return { type: 'length', field: node.values.field, ...node.values.value, place };
  if (isOfKind(node, rules.ATOM)) return readAtom(node, problems);
  if (isOfKind(node, rules.DOMAIN)) return readDomain(node);
  const { field, kind } = MATCH_SHORTCUTS[node.spec.name as keyof typeof MATCH_SHORTCUTS];
  const { value, norm, litteral } = node.values as ShortcutValues;
  return { type: 'atom', field, kind, norm, value, litteral, place };
}

type ShortcutValues = Node<rules.Shortcut['attributes']>['values'];

function readLogicalOperator(node: Node, problems: Problems): MatchExpression | undefined {
  const { place } = node;
  const name = node.spec.name;
  const requirement = name === 'Not' ? 'exactly one match element' : 'a match element';
  if (node.children.length === 0 || (name === 'Not' && node.children.length > 1)) {
    if (!hasUnknownElement(node)) problems.add('empty-rule', `${name} requires ${requirement} inside`, place);
    return undefined;
  }
  const children = node.children.map((child) => readMatch(child, problems));
  if (hasUnknownElement(node) || !children.every((child) => child !== undefined)) return undefined;
  if (name === 'Not') return { type: 'not', child: children[0] as MatchExpression, place };
  return { type: name === 'And' ? 'and' : 'or', children, place };
}

function readAtom(node: Node<typeof rules.ATOM.attributes>, problems: Problems): MatchExpression | undefined {
  const { place, values } = node;
  const { field, kind, norm, value, litteral } = values;
  if (kind !== 'length') return { type: 'atom', field, kind, norm, value, litteral, place };
  const range = lengthRange.parse(value);
  if (range.ok) return { type: 'length', field, ...range.value, place };
  problems.add('bad-value', `value: '${value.slice(0, 80)}' is not valid; expected ${range.wanted}`, place);
  return undefined;
}

const PLAIN_HOST = /^[^\\^$*+?[\](){}|]*$/;
const ESCAPED_DOT = /\\\./g;

/**
 * A plain host name is matched literally, whether its dots are escaped or not. A regular expression is expanded to what
 * Domain abbreviates according to the reference: it must match the whole host, or the end of the host after a dot.
 */
function readDomain(node: Node<typeof rules.DOMAIN.attributes>): MatchExpression {
  const { place, values } = node;
  const { value, norm, litteral } = values;
  const plainValue = litteral ? value : value.replace(ESCAPED_DOT, '.');
  if (PLAIN_HOST.test(plainValue)) return { type: 'domain', value: plainValue.toLowerCase(), norm, place };
  const createAtom = (kind: MatchKind, pattern: string): MatchExpression => {
    return { type: 'atom', field: 'host', kind, norm, value: pattern, litteral, place };
  };
  const suffixPattern = litteral ? `.\\(${value}\\)` : `\\.(?:${value})`;
  return { type: 'or', children: [createAtom('suffix', suffixPattern), createAtom('exact', value)], place };
}

interface ActionDraft {
  accept?: boolean;
  index?: boolean;
  follow?: boolean;
  source?: string;
  priorityShift?: number;
  metas: MetaDefinition[];
  render?: RuleActions['render'];
}

type Aspect = Exclude<keyof ActionDraft, 'metas' | 'render'>;

const toRenderAction = ({ mode, readyWhen, steps }: Values<typeof crawl.RENDER.attributes>): RuleActions['render'] => ({
  ...(mode === undefined ? {} : { renderMode: mode }),
  ...(readyWhen === undefined ? {} : { renderReadyWhen: readyWhen }),
  ...(steps === undefined ? {} : { renderSteps: steps }),
});

/** Reads the actions of a rule in order; if two contradict each other, the later one wins. */
function readActions(rule: Node, problems: Problems): RuleActions {
  const draft: ActionDraft = { metas: [] };
  const setAction = <A extends Aspect>(aspect: A, value: NonNullable<ActionDraft[A]>, node: Node): void => {
    if (draft[aspect] !== undefined && draft[aspect] !== value) {
      const message = `${node.spec.name} contradicts an earlier action in this Rule and overrides it: remove one of them`;
      problems.add('contradictory-actions', message, node.place);
    }
    draft[aspect] = value;
  };
  for (const node of rule.children) {
    if (node.broken) continue;
    if (isOfKind(node, crawl.SOURCE)) setAction('source', node.values.name, node);
    else if (isOfKind(node, crawl.PRIORITY)) setAction('priorityShift', node.values.shift, node);
    else if (isOfKind(node, crawl.RENDER)) draft.render = { ...draft.render, ...toRenderAction(node.values) };
    else if (isOfKind(node, crawl.ADD_META)) draft.metas.push(node.values);
    else for (const [aspect, value] of ACTION_ASPECTS[node.spec.name] ?? []) setAction(aspect, value, node);
  }
  return draft;
}

/** The aspects that each action sets. Ignore sets three: not accepted, not indexed and not followed. */
const ACTION_ASPECTS: Readonly<Record<string, readonly (readonly ['accept' | 'index' | 'follow', boolean])[]>> = {
  Index: [['index', true]],
  NoIndex: [['index', false]],
  Follow: [['follow', true]],
  NoFollow: [['follow', false]],
  Accept: [['accept', true]],
  Ignore: [
    ['accept', false],
    ['index', false],
    ['follow', false],
  ],
};
