/** CSS selectors prepared for testing every element of many pages. */
import { compile } from 'css-select';
import { parse, type Selector, SelectorType } from 'css-what';
import type { Element, ParentNode } from 'domhandler';
import { NONE } from './tree.js';

export type Test = (element: Element) => boolean;

/** What the last compound of one alternative requires: an element without it does not match. */
interface Need {
  readonly name?: string;
  readonly attribute?: string;
}

/** Matches what any of the selectors matches. Selectors that do not compile are reported when the configuration is read. */
export function compileTest(selectors: readonly string[]): Test | undefined {
  return selectors.length === 0 ? undefined : compile<ParentNode | Element, Element>(selectors.join(', '));
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
  private readonly attributes: readonly string[];

  /** A list matches what any of its selectors matches; an empty one nothing. */
  constructor(private readonly lists: readonly (readonly string[])[]) {
    for (const [list, selectors] of lists.entries()) {
      const test = compileTest(selectors);
      if (!test) continue;
      const needs = selectors.flatMap((selector) => parse(selector)).map(findNeed);
      const candidate = { list, test };
      if (needs.some(({ name, attribute }) => name === undefined && attribute === undefined))
        this.always.push(candidate);
      else
        for (const { name, attribute } of needs)
          if (name !== undefined) add(this.byName, name, candidate);
          else add(this.byAttribute, attribute!, candidate);
    }
    this.attributes = [...this.byAttribute.keys()];
  }

  /** For each list its elements, in document order. */
  find(elements: Iterable<Element>): readonly (readonly Element[])[] {
    const found = this.lists.map((): Element[] => []);
    const { always, byName, byAttribute, attributes } = this;
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
      const { attribs } = element;
      for (let at = 0; attribs !== NONE && at < attributes.length; at++)
        if (attribs[attributes[at]!] !== undefined) testCandidates(byAttribute.get(attributes[at]!)!, element);
      if (always.length > 0) testCandidates(always, element);
    }
    return found;
  }
}

function add(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
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

function findNeed(selector: readonly Selector[]): Need {
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
