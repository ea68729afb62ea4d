import { AttributeAction, SelectorType } from 'css-what';
import { describe, expect, it } from 'vitest';
// The names that css-select knows, so that a new one is tested without being added here.
import { aliases, filters, pseudos } from '../../../../node_modules/css-select/dist/pseudo-selectors/index.js';
import { compileSelectors } from './linear-selectors.js';
import { Element, Text } from './nodes.js';
import { parseTree } from './tree.js';

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  contains: ['x', 'missing'],
  icontains: ['X', 'missing'],
  lang: ['en', 'fr'],
  'nth-child': ['2n+1', '2 of .a', '3 of .missing'],
  'nth-last-child': ['2n+1', '2 of .a', '3 of .missing'],
  'nth-of-type': ['2n+1'],
  'nth-last-of-type': ['-n+2'],
};
const PSEUDO_CLASSES = [
  ...Object.keys(filters).flatMap((name) =>
    ARGUMENTS[name] ? ARGUMENTS[name].map((argument) => `:${name}(${argument})`) : [`:${name}`],
  ),
  ...[...Object.keys(pseudos), ...Object.keys(aliases)].map((name) => `:${name}`),
  ...['is', 'matches', 'where', 'not', 'has'].flatMap((name) => [`:${name}(.a)`, `:${name}(.missing div, b)`]),
  ...['>', '+', '~', ''].flatMap((combinator) => [`:has(${combinator} .missing)`, `:has(${combinator} p div)`]),
  ':has(:has(.missing))',
];
const OPERATORS: Readonly<Record<AttributeAction, string>> = {
  [AttributeAction.Any]: '*=',
  [AttributeAction.Element]: '~=',
  [AttributeAction.End]: '$=',
  [AttributeAction.Equals]: '=',
  [AttributeAction.Exists]: '',
  [AttributeAction.Hyphen]: '|=',
  [AttributeAction.Not]: '!=',
  [AttributeAction.Start]: '^=',
};
const ATTRIBUTES = Object.values(AttributeAction).flatMap((action) => {
  const operator = OPERATORS[action];
  return operator === '' ? ['[class]'] : [`[class${operator}missing]`, `[class${operator}a i]`];
});
const COMBINATORS: Readonly<Partial<Record<SelectorType, string>>> = {
  [SelectorType.Adjacent]: '+',
  [SelectorType.Child]: '>',
  [SelectorType.Descendant]: ' ',
  [SelectorType.Parent]: '<',
  [SelectorType.Sibling]: '~',
};
const SIMPLE = ['p', '*', '.missing', '#missing', ...ATTRIBUTES, ...PSEUDO_CLASSES];
const CHAINS = Object.values(COMBINATORS).flatMap((one) => [
  `.missing ${one} div ${one} div ${one} p`,
  `div ${one} * ${one} * ${one} .missing`,
  `:has(.missing ${one} * ${one} * ${one} p)`,
]);

/** Pages of which everything but their nesting, which has a limit, doubles with `size`. */
const PAGES: Readonly<Record<string, (size: number) => string>> = {
  siblings: (size) => `<h2 lang=en>x</h2>${'<p class=a>x</p>'.repeat(size)}`,
  'siblings of many kinds': (size) => Array.from({ length: size }, (_, index) => `<x${index}>x</x${index}>`).join(''),
  'nested elements': (size) => `${'<div class="a b">'.repeat(size)}<p>x</p>`,
  'elements below many others': (size) => `${'<div><div>y</div>'.repeat(60)}${'<p>x</p>'.repeat(size)}`,
  'a long attribute above many elements': (size) => `<div class="${'b '.repeat(size)}">${'<p>'.repeat(size)}</div>`,
  'texts below many elements': (size) => `${'<div>'.repeat(60)}${'x y<br>'.repeat(size)}`,
  'one element and many texts': (size) => `<p>a${'<!--noindex-->y'.repeat(size)}</p>${'<p>'.repeat(size)}`,
  'a list of options': (size) => `<select>${'<option>x'.repeat(size)}</select>`,
  'nested fieldsets': (size) => `${'<fieldset disabled><legend>x</legend>'.repeat(size)}${'<input>'.repeat(size)}`,
};

/** The number of nodes and characters that the selector reads to test every element of the page. */
function countSteps(selector: string, html: string): number {
  let steps = 0;
  const wrapped = new Map<object, object>();
  const wrap = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const isNode = 'children' in value || value instanceof Text || Array.isArray(value);
    if (!isNode) return value;
    const existing = wrapped.get(value);
    if (existing) return existing;
    const proxy = new Proxy(value, {
      get(target, key) {
        steps++;
        const read: unknown = Reflect.get(target, key);
        if (key === 'data') steps += String(read).length;
        if (key !== 'getAttribute' || !(target instanceof Element)) return wrap(read);
        return (name: string) => {
          const attribute = target.getAttribute(name);
          steps += attribute?.length ?? 0;
          return attribute;
        };
      },
    });
    wrapped.set(value, proxy);
    return proxy;
  };
  const elements = parseTree(Buffer.from(html), false).elements.map((element) => wrap(element) as Element);
  const test = compileSelectors(selector);
  steps = 0;
  for (const element of elements) test(element);
  return steps;
}

const SIZE = 60;
/** With what does not grow with the page. */
const MOST_GROWTH = 2.3;

describe('a page of twice the size takes twice the steps', () => {
  const written = [
    ...SIMPLE,
    ...CHAINS,
    ...SIMPLE.flatMap((one) => [`:not(${one})`, `${one} ~ p`, `${one} * p`, `:has(~ ${one})`, `:has(${one})`]),
  ];
  const cases = written.filter((selector) => !/:(?:hover|active|visited)/.test(selector));

  it.each(Object.entries(PAGES))('of %s, for every selector', (_, page) => {
    const slow = cases.filter((selector) => {
      const [less, more] = [SIZE, 2 * SIZE].map((size) => countSteps(selector, page(size)));
      return more! > MOST_GROWTH * less!;
    });
    expect(slow).toEqual([]);
  });

  it('is not possible where each element is compared with each other one', () => {
    for (const selector of [':has(:is(:scope > b))', 'p:has(> a :not(:scope i))'])
      expect(() => compileSelectors(selector), selector).toThrow(':scope within another pseudo-class');
  });
});

it('knows every kind of selector that css-select can compile', () => {
  const isKnown = (type: SelectorType): boolean => COMBINATORS[type] !== undefined;
  const simple: readonly SelectorType[] = [
    SelectorType.Attribute,
    SelectorType.Pseudo,
    SelectorType.Tag,
    SelectorType.Universal,
  ];
  const refused: readonly SelectorType[] = [SelectorType.PseudoElement, SelectorType.ColumnCombinator];
  expect(
    Object.values(SelectorType).filter((type) => !isKnown(type) && !simple.includes(type) && !refused.includes(type)),
  ).toEqual([]);
  expect(() => compileSelectors('p::before')).toThrow('Pseudo-elements are not supported');
  expect(() => compileSelectors('col || td')).toThrow('not supported');
});
