/**
 * Finds the main content of a page: the element that its authors mark (`main`, a single `article`), otherwise the
 * element with the most text in paragraphs that are not lists of links. Navigation, headers and footers inside it are
 * removed.
 */
import { type Document, type Element, isElement, isText, type ParentNode, walkElements } from './nodes.js';
import { foldWhitespace, isHidden } from './readable.js';

const BOILERPLATE_ELEMENTS = new Set(['nav', 'aside', 'footer', 'form', 'dialog', 'menu']);
const BOILERPLATE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search', 'menu', 'dialog']);
/** Whole words in class and id that mark non-content on nearly every site. */
const BOILERPLATE_NAMES =
  /(?:^|[\s_-])(?:breadcrumbs?|cookies?|consent|footer|masthead|menu|nav|navbar|navigation|newsletter|pagination|related|share|sharing|sidebar|social|skip-link|toolbar)(?:$|[\s_-])/i;
/** Longer values of class and id are not tested. */
const MAX_NAME_LENGTH = 200;
/** Minimum number of characters of the main content; if it has fewer, the whole page is used. */
const MIN_TEXT_LENGTH = 140;
/** Maximum share of a paragraph's text that may consist of links. */
const MAX_LINK_SHARE = 0.5;
/** The parent of paragraphs is credited with all of their text, its parent with half, and so on. */
const ANCESTOR_FACTOR = 0.5;
const MAX_ANCESTOR_LEVELS = 3;

/** Reduces the tree to its main content or, if none is found, removes only navigation. Returns what was removed. */
export function keepMainContent(root: Document): readonly Element[] {
  const removedElements: Element[] = [];
  const titled = findTitled(root);
  const main = findMarkedMain(root);
  if (main) {
    root.children = [main];
    removeBoilerplate(main, removedElements, { byName: false, titled });
    return removedElements;
  }
  removeBoilerplate(root, removedElements, { byName: true, titled });
  const best = findDensestElement(root);
  if (best) root.children = [best];
  return removedElements;
}

function findMarkedMain(root: Document): Element | undefined {
  const articles: Element[] = [];
  for (const element of walkElements(root)) {
    if ((element.name === 'main' || element.getAttribute('role') === 'main') && hasEnoughText(element)) return element;
    if (element.name === 'article') articles.push(element);
  }
  const [article, second] = articles;
  return article && !second && hasEnoughText(article) ? article : undefined;
}

const hasEnoughText = (element: Element): boolean => measureElement(element).text >= MIN_TEXT_LENGTH;

interface BoilerplateSigns {
  readonly byName: boolean;
  /** Elements with a heading in them: a header among them contains an article's title and is kept. */
  readonly titled: ReadonlySet<Element>;
}

function findTitled(root: Document): ReadonlySet<Element> {
  const titled = new Set<Element>();
  for (const { name, parent } of walkElements(root))
    if (name === 'h1' || name === 'h2')
      for (let node = parent; isElement(node) && !titled.has(node); node = node.parent) titled.add(node);
  return titled;
}

function removeBoilerplate(node: ParentNode, removedElements: Element[], signs: BoilerplateSigns): void {
  node.children = node.children.filter((child) => {
    if (!isElement(child)) return true;
    if (isBoilerplate(child, signs)) {
      removedElements.push(child);
      return false;
    }
    removeBoilerplate(child, removedElements, signs);
    return true;
  });
}

function isBoilerplate(element: Element, { byName, titled }: BoilerplateSigns): boolean {
  const { name } = element;
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false;
  if (BOILERPLATE_ELEMENTS.has(name) || BOILERPLATE_ROLES.has(element.getAttribute('role') ?? '')) return true;
  if (name === 'header') return !titled.has(element);
  if (!byName) return false;
  return [element.getAttribute('class'), element.getAttribute('id')].some(
    (value) => value !== undefined && value.length <= MAX_NAME_LENGTH && BOILERPLATE_NAMES.test(value),
  );
}

interface Measure {
  readonly text: number;
  readonly links: number;
}

const PARAGRAPH_ELEMENTS = new Set(['p', 'pre', 'blockquote', 'td', 'dd', 'li']);

/** Finds the element with the most paragraph text, which counts less with each enclosing element. */
function findDensestElement(root: Document): Element | undefined {
  const scores = new Map<Element, number>();
  for (const element of walkElements(root)) {
    if (!PARAGRAPH_ELEMENTS.has(element.name)) continue;
    const { text, links } = measureElement(element);
    if (text < 25 || links > text * MAX_LINK_SHARE) continue;
    let credit = text - links;
    let parent = element.parent;
    for (let level = 0; level < MAX_ANCESTOR_LEVELS && isElement(parent) && parent.name !== 'html'; level++) {
      scores.set(parent, (scores.get(parent) ?? 0) + credit);
      credit *= ANCESTOR_FACTOR;
      parent = parent.parent;
    }
  }
  let best: Element | undefined;
  for (const [element, score] of scores) if (!best || score > scores.get(best)!) best = element;
  return best && hasEnoughText(best) ? best : undefined;
}

/** Numbers of characters of text and of links, cached because elements are nested. */
const measures = new WeakMap<Element, Measure>();

function measureElement(element: Element): Measure {
  const cached = measures.get(element);
  if (cached) return cached;
  let text = 0;
  let links = 0;
  for (const child of element.children) {
    if (isText(child)) text += foldWhitespace(child.data).length;
    if (!isElement(child) || isHidden(child)) continue;
    const childMeasure = measureElement(child);
    text += childMeasure.text;
    links += child.name === 'a' ? childMeasure.text : childMeasure.links;
  }
  const result = { text, links };
  measures.set(element, result);
  return result;
}
