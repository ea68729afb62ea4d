/** CSS selectors prepared for testing every element of many pages. */
import { compile, type Options } from 'css-select';
import { parse, type Selector, SelectorType } from 'css-what';
import { type ChildNode, type Element, isElement, isText, type ParentNode } from './nodes.js';

export type Test = (element: Element) => boolean;

/** What the last compound of one alternative requires: an element without it does not match. */
interface Need {
  readonly name?: string;
  readonly attribute?: string;
}

/** Matches what any of the selectors matches. Selectors that do not compile are reported when the configuration is read. */
export function compileMatcher(selectors: readonly string[]): Test | undefined {
  return selectors.length === 0 ? undefined : compile<Node, Element>(selectors.join(', '), { adapter: ADAPTER });
}

type Node = ChildNode | ParentNode;

const getChildren = (node: Node): readonly ChildNode[] => ('children' in node ? node.children : []);

/** How selectors read the tree. */
const ADAPTER: NonNullable<Options<Node, Element>['adapter']> = {
  isTag: isElement,
  getAttributeValue: (element, name) => element.getAttribute(name),
  hasAttrib: (element, name) => element.has(name),
  getName: ({ name }) => name,
  getParent: ({ parent }) => parent,
  // They are only read.
  getChildren: (node) => getChildren(node) as Node[],
  getSiblings: (node) => (isElement(node) ? (node.parent.children as Node[]) : [node]),
  prevElementSibling: (node) => (isElement(node) ? (node.previous ?? null) : null),
  getText: readText,
  // For searches by css-select itself, which nothing here uses.
  removeSubsets: (nodes) => nodes,
};

function readText(node: Node): string {
  if (isText(node)) return node.data;
  return isElement(node) && node.name === 'br' ? '\n' : getChildren(node).map(readText).join('');
}

interface Candidate {
  readonly list: number;
  readonly test: Test;
}

/**
 * Several lists of selectors, tested in one pass over the elements of a page. Names and attributes rule out nearly all elements before a
 * compiled selector is called, which takes several calls to find out the same.
 */
export class SelectorSet {
  private readonly always: Candidate[] = [];
  private readonly byName = new Map<string, Candidate[]>();
  private readonly byAttribute = new Map<string, Candidate[]>();

  /** A list matches what any of its selectors matches; an empty one nothing. */
  constructor(private readonly lists: readonly (readonly string[])[]) {
    for (const [list, selectors] of lists.entries()) {
      const test = compileMatcher(selectors);
      if (!test) continue;
      const needs = selectors.flatMap((selector) => parse(selector)).map(findRequirement);
      const candidate = { list, test };
      if (needs.some(({ name, attribute }) => name === undefined && attribute === undefined))
        this.always.push(candidate);
      else
        for (const { name, attribute } of needs)
          if (name !== undefined) addCandidate(this.byName, name, candidate);
          else addCandidate(this.byAttribute, attribute!, candidate);
    }
  }

  /** For each list its elements, in document order. */
  find(elements: Iterable<Element>): readonly (readonly Element[])[] {
    const found = this.lists.map((): Element[] => []);
    const { always, byName, byAttribute } = this;
    const hasAttributeNeeds = byAttribute.size > 0;
    const testCandidates = (candidates: readonly Candidate[], element: Element): void => {
      for (let at = 0; at < candidates.length; at++) {
        const { list, test } = candidates[at]!;
        const matches = found[list]!;
        // Two needs of one list may bring the same element.
        if (matches.at(-1) !== element && test(element)) matches.push(element);
      }
    };
    for (const element of elements) {
      const named = byName.get(element.name);
      if (named) testCandidates(named, element);
      for (let at = 0; hasAttributeNeeds && at < element.attributeCount; at++) {
        const having = byAttribute.get(element.attributeNameAt(at));
        if (having) testCandidates(having, element);
      }
      if (always.length > 0) testCandidates(always, element);
    }
    return found;
  }
}

function addCandidate(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = map.get(key) ?? [];
  if (!list.includes(candidate)) list.push(candidate);
  map.set(key, list);
}

const COMBINATORS: ReadonlySet<SelectorType> = new Set([
  SelectorType.Adjacent,
  SelectorType.Child,
  SelectorType.Descendant,
  SelectorType.Parent,
  SelectorType.Sibling,
  SelectorType.ColumnCombinator,
]);

function findRequirement(selector: readonly Selector[]): Need {
  let last = selector.length;
  while (last > 0 && !COMBINATORS.has(selector[last - 1]!.type)) last--;
  let need: Need = {};
  for (const token of selector.slice(last)) {
    if (token.type === SelectorType.Tag) need = { ...need, name: token.name.toLowerCase() };
    // `[name!=value]` matches elements without the attribute, too.
    else if (token.type === SelectorType.Attribute && token.action !== 'not')
      need = { ...need, attribute: token.name.toLowerCase() };
  }
  return need;
}
