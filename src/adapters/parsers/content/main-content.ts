/**
 * The main content of a page: where its authors mark it (`main`, a single `article`), otherwise the element with most text in
 * paragraphs that are not lists of links. Navigation, headers and footers inside it are removed.
 */
import { type Document, type Element, isElement, isText, type ParentNode, walkElements } from './nodes.js';
import { collapseWhitespace, isHidden } from './readable.js';

const BOILERPLATE = new Set(['nav', 'aside', 'footer', 'form', 'dialog', 'menu']);
const BOILERPLATE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search', 'menu', 'dialog']);
/** Whole words in class and id that mark non-content on nearly every site. */
const BOILERPLATE_NAMES =
  /(?:^|[\s_-])(?:breadcrumbs?|cookies?|consent|footer|masthead|menu|nav|navbar|navigation|newsletter|pagination|related|share|sharing|sidebar|social|skip-link|toolbar)(?:$|[\s_-])/i;
/** Longer values are not names. */
const LONGEST_NAME = 200;
/** Minimum number of characters of a main content; with less, the whole page counts. */
const LEAST_TEXT = 140;
/** Maximum share of links in the text. */
const MOST_LINKS = 0.5;
/** The parent of paragraphs is credited with all of their text, its parent with half, and so on. */
const FADING = 0.5;
const LEVELS = 3;

/** Changes the tree; if no main content can be found, only its navigation is removed. Returns what was cut out. */
export function keepMainContent(root: Document): readonly Element[] {
  const cut: Element[] = [];
  const main = findMarkedMain(root);
  if (main) {
    root.children = [main];
    removeBoilerplate(main, cut, false);
    return cut;
  }
  removeBoilerplate(root, cut, true);
  const best = findDensestElement(root);
  if (best) root.children = [best];
  return cut;
}

function findMarkedMain(root: Document): Element | undefined {
  const articles: Element[] = [];
  for (const element of walkElements(root)) {
    if ((element.name === 'main' || element.getAttribute('role') === 'main') && isLong(element)) return element;
    if (element.name === 'article') articles.push(element);
  }
  const [article, second] = articles;
  return article && !second && isLong(article) ? article : undefined;
}

const isLong = (element: Element): boolean => measureElement(element).text >= LEAST_TEXT;

function removeBoilerplate(node: ParentNode, cut: Element[], byName: boolean): void {
  node.children = node.children.filter((child) => {
    if (!isElement(child)) return true;
    if (isBoilerplate(child, byName)) {
      cut.push(child);
      return false;
    }
    removeBoilerplate(child, cut, byName);
    return true;
  });
}

function isBoilerplate(element: Element, byName: boolean): boolean {
  const { name } = element;
  if (name === 'body' || name === 'html' || name === 'main' || name === 'article') return false;
  if (BOILERPLATE.has(name) || BOILERPLATE_ROLES.has(element.getAttribute('role') ?? '')) return true;
  if (name === 'header') return !hasHeading(element);
  if (!byName) return false;
  return [element.getAttribute('class'), element.getAttribute('id')].some(
    (value) => value !== undefined && value.length <= LONGEST_NAME && BOILERPLATE_NAMES.test(value),
  );
}

/** The header of an article holds its title. */
function hasHeading(element: Element): boolean {
  for (const { name } of walkElements(element)) if (name === 'h1' || name === 'h2') return true;
  return false;
}

interface Measure {
  readonly text: number;
  readonly links: number;
}

const PARAGRAPHS = new Set(['p', 'pre', 'blockquote', 'td', 'dd', 'li']);

/** The element that contains most paragraph text, which counts less and less for enclosing elements. */
function findDensestElement(root: Document): Element | undefined {
  const scores = new Map<Element, number>();
  for (const element of walkElements(root)) {
    if (!PARAGRAPHS.has(element.name)) continue;
    const { text, links } = measureElement(element);
    if (text < 25 || links > text * MOST_LINKS) continue;
    let share = text - links;
    let parent = element.parent;
    for (let level = 0; level < LEVELS && isElement(parent) && parent.name !== 'html'; level++) {
      scores.set(parent, (scores.get(parent) ?? 0) + share);
      share *= FADING;
      parent = parent.parent;
    }
  }
  let best: Element | undefined;
  for (const [element, score] of scores) if (!best || score > scores.get(best)!) best = element;
  return best && isLong(best) ? best : undefined;
}

/** Characters of text and of links. Cached, since elements are nested. */
const measures = new WeakMap<Element, Measure>();

function measureElement(element: Element): Measure {
  const known = measures.get(element);
  if (known) return known;
  let text = 0;
  let links = 0;
  for (const child of element.children) {
    if (isText(child)) text += collapseWhitespace(child.data).length;
    if (!isElement(child) || isHidden(child)) continue;
    const inside = measureElement(child);
    text += inside.text;
    links += child.name === 'a' ? inside.text : inside.links;
  }
  const result = { text, links };
  measures.set(element, result);
  return result;
}
