/** CSS selectors compiled for testing every element of many pages. */
import { parse, type Selector, SelectorType } from 'css-what';
import { compileSelectors, isCombinator, type Matcher } from './linear-selectors.js';
import type { Element } from './nodes.js';

/** What the last compound of a selector requires; elements without it do not match. */
interface Requirement {
  readonly name?: string;
  readonly attribute?: string;
}

/** Returns a test whether any of the selectors matches; invalid selectors are reported with the configuration. */
export function compileMatcher(selectors: readonly string[]): Matcher | undefined {
  return selectors.length === 0 ? undefined : compileSelectors(selectors.join(', '));
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

function findRequirement(selector: readonly Selector[]): Requirement {
  let compoundStart = selector.length;
  while (compoundStart > 0 && !isCombinator(selector[compoundStart - 1]!)) compoundStart--;
  let requirement: Requirement = {};
  for (const token of selector.slice(compoundStart)) {
    if (token.type === SelectorType.Tag) requirement = { ...requirement, name: token.name.toLowerCase() };
    // `[name!=value]` matches elements without the attribute, too.
    else if (token.type === SelectorType.Attribute && token.action !== 'not')
      requirement = { ...requirement, attribute: token.name.toLowerCase() };
  }
  return requirement;
}
