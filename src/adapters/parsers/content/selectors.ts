/** CSS selectors compiled for testing every element of many pages. */
import { compile, type Options } from 'css-select';
import { parse, type Selector, SelectorType } from 'css-what';
import { type ChildNode, type Element, isElement, isText, type ParentNode } from './nodes.js';

export type Matcher = (element: Element) => boolean;

/** What the last compound of a selector requires; elements without it do not match. */
interface Requirement {
  readonly name?: string;
  readonly attribute?: string;
}

/** Returns a test whether any of the selectors matches; invalid selectors are reported with the configuration. */
export function compileMatcher(selectors: readonly string[]): Matcher | undefined {
  return selectors.length === 0 ? undefined : compile<Node, Element>(selectors.join(', '), { adapter: ADAPTER });
}

type Node = ChildNode | ParentNode;

const getChildren = (node: Node): readonly ChildNode[] => ('children' in node ? node.children : []);

/** Lets css-select read the tree. */
const ADAPTER: NonNullable<Options<Node, Element>['adapter']> = {
  isTag: isElement,
  getAttributeValue: (element, name) => element.getAttribute(name),
  hasAttrib: (element, name) => element.hasAttribute(name),
  getName: ({ name }) => name,
  getParent: ({ parent }) => parent,
  // css-select only reads the arrays.
  getChildren: (node) => getChildren(node) as Node[],
  getSiblings: (node) => (isElement(node) ? (node.parent.children as Node[]) : [node]),
  prevElementSibling: (node) => (isElement(node) ? (node.previous ?? null) : null),
  getText: readText,
  // Needed only by searches of css-select itself, which are not used here.
  removeSubsets: (nodes) => nodes,
};

function readText(node: Node): string {
  if (isText(node)) return node.data;
  return isElement(node) && node.name === 'br' ? '\n' : getChildren(node).map(readText).join('');
}

interface Candidate {
  readonly list: number;
  readonly test: Matcher;
}

/**
 * Tests several lists of selectors in one pass over the elements of a page. Names and attributes rule out nearly all
 * elements before a compiled selector is called, which would need several calls for the same result.
 */
export class SelectorSet {
  private readonly untargeted: Candidate[] = [];
  private readonly byName = new Map<string, Candidate[]>();
  private readonly byAttribute = new Map<string, Candidate[]>();

  /** A list matches an element if any of its selectors does; an empty list matches nothing. */
  constructor(private readonly lists: readonly (readonly string[])[]) {
    for (const [list, selectors] of lists.entries()) {
      const test = compileMatcher(selectors);
      if (!test) continue;
      const requirements = selectors.flatMap((selector) => parse(selector)).map(findRequirement);
      const candidate = { list, test };
      if (requirements.some(({ name, attribute }) => name === undefined && attribute === undefined))
        this.untargeted.push(candidate);
      else
        for (const { name, attribute } of requirements)
          if (name !== undefined) addCandidate(this.byName, name, candidate);
          else addCandidate(this.byAttribute, attribute!, candidate);
    }
  }

  /** Returns the elements that each list matches, in document order. */
  find(elements: Iterable<Element>): readonly (readonly Element[])[] {
    const found = this.lists.map((): Element[] => []);
    const { untargeted, byName, byAttribute } = this;
    const hasAttributeRequirements = byAttribute.size > 0;
    const testCandidates = (candidates: readonly Candidate[], element: Element): void => {
      for (let index = 0; index < candidates.length; index++) {
        const { list, test } = candidates[index]!;
        const matches = found[list]!;
        // An element may meet several needs of the same list.
        if (matches.at(-1) !== element && test(element)) matches.push(element);
      }
    };
    for (const element of elements) {
      const nameCandidates = byName.get(element.name);
      if (nameCandidates) testCandidates(nameCandidates, element);
      for (let index = 0; hasAttributeRequirements && index < element.attributeCount; index++) {
        const attributeCandidates = byAttribute.get(element.getAttributeNameAt(index));
        if (attributeCandidates) testCandidates(attributeCandidates, element);
      }
      if (untargeted.length > 0) testCandidates(untargeted, element);
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

function findRequirement(selector: readonly Selector[]): Requirement {
  let compoundStart = selector.length;
  while (compoundStart > 0 && !COMBINATORS.has(selector[compoundStart - 1]!.type)) compoundStart--;
  let requirement: Requirement = {};
  for (const token of selector.slice(compoundStart)) {
    if (token.type === SelectorType.Tag) requirement = { ...requirement, name: token.name.toLowerCase() };
    // `[name!=value]` matches elements without the attribute, too.
    else if (token.type === SelectorType.Attribute && token.action !== 'not')
      requirement = { ...requirement, attribute: token.name.toLowerCase() };
  }
  return requirement;
}
