/**
 * Finds the main content of a page. An element that holds much of the text is not removed for its name, and if too little
 * is left, it is searched again with fewer rules, at last without any, so that no page with a text comes out empty.
 */
import { ContentSearch, type SearchResult, type SearchRules } from './content-search.js';
import { getPlainLength, PageMeasures } from './element-signs.js';
import { ignoreId, readNameSigns } from './name-signs.js';
import { type Document, type Element, isElement, type ParentNode, walkElements } from './nodes.js';
import { findSummaryBefore } from './page-summary.js';
import { createReadingBudget, extractElementText, getHeadingLevel, type ReadingBudget } from './readable.js';

export interface MainContent {
  readonly removed: readonly Element[];
  /** Share of the page's text outside links that is kept. */
  readonly keptShare: number;
}

interface Attempt extends SearchRules {
  /** It is made if fewer characters have been found so far. */
  readonly ifBelow: number;
  /** Everything is kept that the rules do not leave out: lists have no paragraphs. */
  readonly whole?: boolean;
}

/** So much text needs no further attempt. */
const ENOUGH_TEXT = 400;
const FAIRLY_ENOUGH_TEXT = 1_000;
const FIRST_ATTEMPT: Attempt = { ifBelow: ENOUGH_TEXT, names: 'all', blocks: true };
const ATTEMPTS: readonly Attempt[] = [
  FIRST_ATTEMPT,
  { ifBelow: ENOUGH_TEXT, names: 'never', blocks: true },
  { ifBelow: 140, names: 'none', blocks: false },
  { ifBelow: FAIRLY_ENOUGH_TEXT, names: 'all', blocks: false, whole: true },
];
/** The result of a further attempt must be so much longer; the second number applies to a text that may be enough. */
const MUCH_LONGER = 4;
const VERY_MUCH_LONGER = 10;
/** Pages with less text say too little to tell the content from the rest. */
const MIN_PAGE_LENGTH = 280;
/** How much the element that the page marks as its content must hold: characters, and share of the text. */
const MIN_MARKED_LENGTH = 140;
const MIN_MARKED_SHARE = 0.25;

/** Reduces the tree to its main content; of a page with too little text to tell, only navigation is removed. */
export function keepMainContent(root: Document): MainContent {
  ignoreIdsOfSubjects(root);
  const measures = new PageMeasures(root);
  const marked = findMarked(measures);
  const canTell = measures.hasParagraphs && (marked || measures.whole.text >= MIN_PAGE_LENGTH);
  const best = canTell ? search(marked ? [marked, root] : [root], measures) : undefined;
  const removed = best?.removed ?? findNavigation(root, measures);
  if (best) {
    const isHalf = best.plainLength >= getPlainLength(measures.whole) / 2;
    const summary = isHalf ? undefined : findSummaryBefore(best.kept, root, measures);
    root.children = summary ? [summary, ...best.kept] : best.kept;
  }
  const removedElements: Element[] = [];
  removeElements(root, removed, removedElements);
  const plainLength = getPlainLength(measures.whole);
  return {
    removed: removedElements,
    keptShare: best && plainLength > 0 ? Math.min(1, best.plainLength / plainLength) : 1,
  };
}

/** What is marked as the content may be the comments, so the whole page is searched after it. */
function search(scopes: readonly ParentNode[], measures: PageMeasures): SearchResult | undefined {
  let best: SearchResult | undefined;
  for (const attempt of ATTEMPTS)
    for (const scope of scopes) {
      const length = best?.length ?? 0;
      if (length >= attempt.ifBelow) continue;
      const search = new ContentSearch(scope, measures, attempt);
      const result = attempt.whole ? search.keepWhole() : search.find();
      if (result && result.length > length * (length < ENOUGH_TEXT ? MUCH_LONGER : VERY_MUCH_LONGER)) best = result;
    }
  return best;
}

function findNavigation(root: Document, measures: PageMeasures): ReadonlySet<Element> {
  const attempt = new ContentSearch(root, measures, FIRST_ATTEMPT);
  return attempt.removeUnlikely().whole.text > 0 ? attempt.removed : new Set();
}

function removeElements(node: ParentNode, removed: ReadonlySet<Element>, removedElements: Element[]): void {
  node.children = node.children.filter((child) => {
    if (!isElement(child)) return true;
    if (removed.has(child)) removedElements.push(child);
    else removeElements(child, removed, removedElements);
    return !removed.has(child);
  });
}

/** Finds the element that the page marks as its content. */
function findMarked(measures: PageMeasures): Element | undefined {
  const { whole, mains, articles } = measures;
  const minLength = Math.max(MIN_MARKED_LENGTH, getPlainLength(whole) * MIN_MARKED_SHARE);
  const isLarge = (element: Element): boolean => getPlainLength(measures.of(element)) >= minLength;
  return mains.find(isLarge) ?? (articles.length === 1 ? articles.find(isLarge) : undefined);
}

/** So many elements must have an id that names their subject; longer ids and beginnings are cut. */
const MIN_SUBJECTS = 2;
const MAX_BEGINNING_LENGTH = 200;

/**
 * Programs that make manuals give each section, entry and function an id of its own words: `<section id="cookies">` is
 * about cookies, and `<dt id="Hub.register">` describes a function. On such pages, these ids are not taken for names.
 */
function ignoreIdsOfSubjects(root: Document): void {
  const elements = [...walkElements(root)];
  const budget = createReadingBudget(elements.length);
  const elementsByKind = new Map<string, Element[]>();
  for (const element of elements) {
    if (!element.hasAttribute('id') || !isSubject(element, budget)) continue;
    const kind = `${element.name} ${element.getAttribute('class') ?? ''}`;
    const subjects = elementsByKind.get(kind);
    if (subjects) subjects.push(element);
    else elementsByKind.set(kind, [element]);
  }
  for (const subjects of elementsByKind.values()) {
    const named = subjects.filter((element) => Object.values(readNameSigns(element)).some(Boolean));
    const others = subjects.length - named.length;
    // Comments, related pages and the like may begin with their names, too, but have few neighbors of other subjects.
    if (others >= MIN_SUBJECTS && others * 2 >= named.length) for (const element of named) ignoreId(element);
  }
}

/** Whether the id is, or ends with, what the element begins with, which may have a number. */
function isSubject(element: Element, budget: ReadingBudget): boolean {
  const id = (element.getAttribute('id') ?? '').slice(0, MAX_BEGINNING_LENGTH);
  const heading = element.children.find((child) => isElement(child) && getHeadingLevel(child) !== undefined);
  const beginning = fold(
    extractElementText((heading as Element | undefined) ?? element, { maxLength: MAX_BEGINNING_LENGTH, budget }),
  );
  const words = fold(id);
  if (heading && words !== '' && beginning.endsWith(words)) return true;
  // `method.subscribe`, `term-cookie`, `subscribe(java.lang.String)`
  const [, subject = ''] = /(?<![\p{L}\p{N}_])([\p{L}\p{N}_]+)(?:\(|$)/u.exec(id) ?? [];
  return subject.length > 2 && beginning.includes(fold(subject));
}

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
