/** CSS selectors prepared for testing every element of many pages. */
import { compile } from 'css-select';
import { parse, type Selector, SelectorType } from 'css-what';
import type { Element, ParentNode } from 'domhandler';

export type Test = (element: Element) => boolean;

/** What the last compound of one alternative requires: an element without it does not match. */
interface Need {
  readonly name?: string;
  readonly attribute?: string;
}

/** Matches what any of the selectors matches. Selectors that do not compile are reported when the configuration is read. */
export function testOf(selectors: readonly string[]): Test | undefined {
  if (selectors.length === 0) return undefined;
  const alternatives = selectors.flatMap((selector) => parse(selector));
  const test = compile<ParentNode | Element, Element>(selectors.join(', ')) as Test;
  const needs = alternatives.map(needOf);
  const names = new Set(needs.flatMap(({ name }) => name ?? []));
  const attributes = [
    ...new Set(needs.flatMap(({ name, attribute }) => (name === undefined ? (attribute ?? []) : []))),
  ];
  if (needs.some(({ name, attribute }) => name === undefined && attribute === undefined)) return test;
  // Hardly any element of a page matches a selector, and the compiled one takes several calls to find that out.
  return (element) => (names.has(element.name) || hasOneOf(element, attributes)) && test(element);
}

function hasOneOf({ attribs }: Element, names: readonly string[]): boolean {
  for (let at = 0; at < names.length; at++) if (attribs[names[at]!] !== undefined) return true;
  return false;
}

const COMBINATORS: ReadonlySet<SelectorType> = new Set([
  SelectorType.Adjacent,
  SelectorType.Child,
  SelectorType.Descendant,
  SelectorType.Parent,
  SelectorType.Sibling,
  SelectorType.ColumnCombinator,
]);

function needOf(selector: readonly Selector[]): Need {
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
