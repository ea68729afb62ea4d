/**
 * CSS selectors whose test of all elements of a page takes time in proportion to its size. css-select tests names,
 * attributes and states of one element; whatever looks at other elements is done here, and remembers what it found.
 */
import { compile, type Options } from 'css-select';
import { type PseudoSelector, parse, type Selector, SelectorType } from 'css-what';
import { type ChildNode, type Element, isElement, isText, type ParentNode } from './nodes.js';

export type Matcher = (element: Element) => boolean;

/** @throws if css-select does not know the selectors */
export const compileSelectors = (text: string): Matcher => compileAny(parse(text));

function compileAny(selectors: readonly (readonly Selector[])[]): Matcher {
  const tests = selectors.map(compileComplex);
  return tests.length === 1 ? tests[0]! : (element) => tests.some((test) => test(element));
}

interface Compound {
  /** How its element is related to that of the compound before it; absent for the first one. */
  readonly combinator?: SelectorType;
  readonly tokens: readonly Selector[];
}

const COMBINATORS: ReadonlySet<SelectorType> = new Set([
  SelectorType.Adjacent,
  SelectorType.Child,
  SelectorType.Descendant,
  SelectorType.Parent,
  SelectorType.Sibling,
  SelectorType.ColumnCombinator,
]);
export const isCombinator = ({ type }: Selector): boolean => COMBINATORS.has(type);

function splitCompounds(tokens: readonly Selector[]): Compound[] {
  const compounds: { combinator?: SelectorType; tokens: Selector[] }[] = [{ tokens: [] }];
  for (const token of tokens)
    if (isCombinator(token)) compounds.push({ combinator: token.type, tokens: [] });
    else compounds.at(-1)!.tokens.push(token);
  return compounds;
}

const SCOPE: Selector = { type: SelectorType.Pseudo, name: 'scope', data: null };

function compileComplex(selector: readonly Selector[]): Matcher {
  const [first, ...others] = splitCompounds(selector);
  // `> p` is a child of the root.
  let test = compileCompound(first!.tokens.length > 0 ? first!.tokens : [SCOPE]);
  for (const { combinator, tokens } of others) {
    const own = compileCompound(tokens);
    const related = relate(BEFORE, combinator!)(test);
    test = (element) => own(element) && related(element);
  }
  return test;
}

const parentOf = ({ parent }: Element): Element | undefined => (isElement(parent) ? parent : undefined);
const previousOf = ({ previous }: Element): Element | undefined => previous;

type Relation = (test: Matcher) => Matcher;

/** Whether an element that comes before the combinator, for the element after it, passes a test. */
const BEFORE: Partial<Record<SelectorType, Relation>> = {
  [SelectorType.Child]: (test) => testOf(parentOf, test),
  [SelectorType.Descendant]: (test) => testAnyAlong(parentOf, test),
  [SelectorType.Adjacent]: (test) => testOf(previousOf, test),
  [SelectorType.Sibling]: (test) => testAnyAlong(previousOf, test),
  [SelectorType.Parent]: (test) => testAnyChild(test),
};

function relate(relations: typeof BEFORE, combinator: SelectorType): Relation {
  const relation = relations[combinator];
  if (!relation) throw new Error(`the combinator ${combinator} is not supported`);
  return relation;
}

/** The values of all children of a parent are found together. An element that was moved elsewhere has none. */
function createBySiblings<T>(
  assign: (siblings: readonly Element[], set: (element: Element, value: T) => void) => void,
): (element: Element) => T | undefined {
  const values = new WeakMap<Element, T>();
  const finished = new WeakSet<ParentNode>();
  return (element) => {
    const { parent } = element;
    if (!finished.has(parent)) {
      finished.add(parent);
      assign(parent.children.filter(isElement), (sibling, value) => values.set(sibling, value));
    }
    return values.get(element);
  };
}

/** The same for the element after the combinator, which `:has()` looks for. */
const createAfter = (): typeof BEFORE => {
  const nextOf = createBySiblings<Element>((siblings, set) => {
    for (let index = 1; index < siblings.length; index++) set(siblings[index - 1]!, siblings[index]!);
  });
  return {
    [SelectorType.Child]: (test) => testAnyChild(test),
    [SelectorType.Descendant]: (test) => {
      const matcher: Matcher = remember(
        testAnyChild((child) => test(child) || (child.name !== 'template' && matcher(child))),
      );
      return matcher;
    },
    [SelectorType.Adjacent]: (test) => testOf(nextOf, test),
    [SelectorType.Sibling]: (test) => testAnyAlong(nextOf, test),
    [SelectorType.Parent]: (test) => testOf(parentOf, test),
  };
};

function remember(test: Matcher): Matcher {
  const results = new WeakMap<Element, boolean>();
  return (element) => {
    const known = results.get(element);
    if (known !== undefined) return known;
    const result = test(element);
    results.set(element, result);
    return result;
  };
}

function testOf(step: (element: Element) => Element | undefined, test: Matcher): Matcher {
  const remembered = remember(test);
  return (element) => {
    const other = step(element);
    return other !== undefined && remembered(other);
  };
}

const testAnyChild = (test: Matcher): Matcher =>
  remember(({ children }) => children.some((child) => isElement(child) && test(child)));

/** Whether any of the elements that are reached step by step passes. Each is tested once, whoever asks. */
function testAnyAlong(step: (element: Element) => Element | undefined, test: Matcher): Matcher {
  const known = new WeakMap<Element, boolean>();
  return (element) => {
    const passed: Element[] = [];
    let found = false;
    for (let other = step(element); other !== undefined && !found; other = step(other)) {
      const result = known.get(other);
      found = result ?? test(other);
      if (result === undefined) passed.push(other);
      else break;
    }
    for (const other of passed) known.set(other, found);
    return found;
  };
}

function compileCompound(tokens: readonly Selector[]): Matcher {
  const own: Selector[] = [];
  const tests: Matcher[] = [];
  for (const token of tokens) {
    const test = token.type === SelectorType.Pseudo ? compilePseudo(token) : undefined;
    if (test) tests.push(test);
    else own.push(token);
  }
  if (own.length > 0) tests.unshift(compileWithLibrary(own));
  return tests.length === 1 ? tests[0]! : (element) => tests.every((test) => test(element));
}

const FORM_CONTROLS = 'button, input, select, textarea, optgroup, option';

/** Pseudo-classes that are others in short. css-select has the same, but would not look for their parts here. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  'last-child': ':nth-last-child(1)',
  'first-of-type': ':nth-of-type(1)',
  'last-of-type': ':nth-last-of-type(1)',
  'only-child': ':first-child:last-child',
  'only-of-type': ':first-of-type:last-of-type',
  disabled: `:is(${FORM_CONTROLS})[disabled], optgroup[disabled] > option,
    fieldset[disabled]:not(fieldset[disabled] legend:first-of-type *)`,
  enabled: `:is(${FORM_CONTROLS}, fieldset):not(:disabled)`,
  selected: 'option[selected], select:not([multiple]):not(:has(> option[selected])) > option:first-of-type',
  checked: ':is(input[type=radio], input[type=checkbox])[checked], :selected',
};

const NUMBERINGS: Readonly<Record<string, { readonly ofType?: boolean; readonly fromEnd?: boolean }>> = {
  'nth-child': {},
  'nth-last-child': { fromEnd: true },
  'nth-of-type': { ofType: true },
  'nth-last-of-type': { ofType: true, fromEnd: true },
};

/** Compiles what looks at other elements; undefined for the rest. */
function compilePseudo(token: PseudoSelector): Matcher | undefined {
  const { name, data } = token;
  if (Array.isArray(data)) return compileNested(token, data);
  const abbreviated = ABBREVIATIONS[name];
  if (data === null) return abbreviated === undefined ? undefined : compileSelectors(abbreviated);
  const numbering = NUMBERINGS[name];
  if (numbering) return compileNumbering(token, data, numbering);
  if (name === 'lang') return compileLanguage(token);
  if (name === 'contains') return compileContains(data, (text) => text);
  return name === 'icontains' ? compileContains(data.toLowerCase(), (text) => text.toLowerCase()) : undefined;
}

function compileNested(token: PseudoSelector, selectors: readonly Selector[][]): Matcher | undefined {
  switch (token.name) {
    case 'is':
    case 'matches':
    case 'where':
      return compileAny(selectors);
    case 'not': {
      const test = compileAny(selectors);
      return (element) => !test(element);
    }
    case 'has': {
      const after = createAfter();
      const tests = selectors.map((selector) => compileRelative(selector, after));
      return tests.includes(undefined) ? undefined : (element) => tests.some((test) => test!(element));
    }
    default:
      return undefined;
  }
}

const isScope = (token: Selector): boolean => token.type === SelectorType.Pseudo && token.name === 'scope';

const hasScope = (token: Selector): boolean =>
  isScope(token) ||
  (token.type === SelectorType.Pseudo && Array.isArray(token.data) && token.data.flat().some(hasScope));

/** @throws Error if `:scope` is within another pseudo-class: each element would have to be compared with each other one */
function compileRelative(selector: readonly Selector[], after: typeof BEFORE): Matcher | undefined {
  const [first, second] = selector;
  const tokens = first && isScope(first) && second && isCombinator(second) ? selector.slice(1) : selector;
  const compounds = splitCompounds(tokens).filter(({ tokens: { length } }) => length > 0);
  const last = compounds.at(-1);
  // Nothing that is found from an element is the element itself.
  if (compounds.some((compound) => (compound.combinator || compound === last) && compound.tokens.some(isScope)))
    return () => false;
  if (tokens.some(hasScope))
    throw new Error(
      ':scope within another pseudo-class of :has() is not supported: write the combinator alone, as in :has(> p)',
    );
  return compounds.reduceRight<Matcher | undefined>((rest, { combinator, tokens: ownTokens }) => {
    const own = compileCompound(ownTokens);
    const test: Matcher = rest ? (element) => own(element) && rest(element) : own;
    return relate(after, combinator ?? SelectorType.Descendant)(test);
  }, undefined);
}

function compileNumbering(
  token: PseudoSelector,
  formula: string,
  { ofType = false, fromEnd = false }: { readonly ofType?: boolean; readonly fromEnd?: boolean },
): Matcher {
  // It reports formulas that are wrong.
  compileWithLibrary([token]);
  const [count = '', ...of] = ofType ? [formula] : formula.split(/\sof\s/i);
  const counted = of.length > 0 ? compileSelectors(of.join(' of ')) : undefined;
  const isMeant = parseFormula(count);
  const numberOf = createBySiblings<number>((siblings, set) => {
    const counts = new Map<string, number>();
    for (const sibling of fromEnd ? siblings.toReversed() : siblings) {
      if (counted && !counted(sibling)) continue;
      const kind = ofType ? sibling.name : '';
      const number = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, number);
      set(sibling, number);
    }
  });
  return (element) => isMeant(numberOf(element) ?? Number.NaN);
}

/** The numbers that `an+b` means, for n from 0. */
function parseFormula(formula: string): (number: number) => boolean {
  const text = formula.toLowerCase().replace(/\s/g, '').replace('even', '2n').replace('odd', '2n+1');
  const [factor, offset] = text.includes('n') ? text.split('n') : ['0', text];
  const step = /\d/.test(factor!) ? Number(factor) : Number(`${factor}1`);
  const start = Number(offset);
  return (number) => (step === 0 ? number === start : (number - start) % step === 0 && (number - start) / step >= 0);
}

function compileLanguage(token: PseudoSelector): Matcher {
  const test = compileWithLibrary([token]);
  const matcher: Matcher = remember((element) => {
    const parent = element.hasAttribute('lang') || element.hasAttribute('xml:lang') ? undefined : parentOf(element);
    return parent ? matcher(parent) : test(element);
  });
  return matcher;
}

/** Where the text of an element lies in the text of its page, and where that contains what is looked for. */
interface TextRange {
  readonly start: number;
  readonly end: number;
  readonly occurrences: readonly number[];
}

/** Searches the text of a page once, instead of that of each element. `fold` is applied to the texts of the page. */
function compileContains(wanted: string, fold: (text: string) => string): Matcher {
  if (wanted === '') return () => true;
  const ranges = new WeakMap<Element, TextRange>();
  const search = (root: ParentNode): void => {
    const occurrences: number[] = [];
    let text = '';
    const visit = (node: ParentNode): void => {
      const start = text.length;
      if (isElement(node) && node.name === 'br') text += '\n';
      for (const child of node.children)
        if (isText(child)) text += fold(child.data);
        else if (isElement(child)) visit(child);
      if (isElement(node)) ranges.set(node, { start, end: text.length, occurrences });
    };
    visit(root);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) occurrences.push(at);
  };
  const searched = new WeakSet<ParentNode>();
  return (element) => {
    if (!ranges.has(element)) {
      const root = findRoot(element);
      // An element that was moved elsewhere is searched by itself.
      search(searched.has(root) ? element : root);
      searched.add(root);
      if (!ranges.has(element)) search(element);
    }
    const { start, end, occurrences } = ranges.get(element)!;
    return findFirstFrom(occurrences, start) + wanted.length <= end;
  };
}

function findRoot(element: Element): ParentNode {
  let root: ParentNode = element;
  while (isElement(root)) root = root.parent;
  return root;
}

/** Returns Infinity if there is none. */
function findFirstFrom(sorted: readonly number[], from: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return sorted[low] ?? Number.POSITIVE_INFINITY;
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

const compileWithLibrary = (tokens: readonly Selector[]): Matcher =>
  compile<Node, Element>([[...tokens]], { adapter: ADAPTER });
