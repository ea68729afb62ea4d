/** Finds the page's introduction: the element whose text begins as the description in the head of the page does. */
import { getLinkShare, MIN_PARAGRAPH_LENGTH, type PageMeasures } from './element-signs.js';
import { type Document, type Element, isElement, type ParentNode, walkElements } from './nodes.js';
import { extractElementText } from './readable.js';

const DESCRIPTIONS = new Set(['description', 'og:description', 'twitter:description']);
/** So many letters and digits at the beginning must be the same. */
const KEY_LENGTH = 40;
const MAX_HEAD_ELEMENTS = 1_000;
const MAX_READ_LENGTH = 200;
/** Longer elements are more than an introduction. */
const MAX_SUMMARY_LENGTH = 1_500;
/** Maximum number of elements whose text is compared. */
const MAX_COMPARED = 2_000;

const getKey = (text: string): string =>
  text
    .slice(0, MAX_READ_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, KEY_LENGTH);

/** Finds the introduction among what stands before the content; undefined also if the content begins with it. */
export function findSummaryBefore(
  kept: readonly Element[],
  root: Document,
  measures: PageMeasures,
): Element | undefined {
  const keys = findKeys(root);
  if (keys.size === 0) return undefined;
  const content = new Set(kept);
  let compared = 0;
  const isOver = (element: Element): boolean => content.has(element) || compared > MAX_COMPARED;
  const find = (node: ParentNode): Element | 'over' | undefined => {
    for (const child of node.children) {
      if (!isElement(child)) continue;
      if (isOver(child)) return 'over';
      const { own, text } = measures.of(child);
      if (own >= MIN_PARAGRAPH_LENGTH && text <= MAX_SUMMARY_LENGTH && getLinkShare(measures.of(child)) < 0.5) {
        compared++;
        if (keys.has(getKey(extractElementText(child, { maxLength: MAX_READ_LENGTH })))) return child;
      }
      const found = find(child);
      if (found) return found;
    }
    return undefined;
  };
  const found = find(root);
  return found === 'over' ? undefined : found;
}

function findKeys(root: Document): ReadonlySet<string> {
  const keys = new Set<string>();
  let elements = 0;
  for (const element of walkElements(root)) {
    if (element.name === 'body' || ++elements > MAX_HEAD_ELEMENTS) break;
    if (element.name !== 'meta') continue;
    const name = element.getAttribute('name') ?? element.getAttribute('property') ?? '';
    const key = DESCRIPTIONS.has(name.toLowerCase()) ? getKey(element.getAttribute('content') ?? '') : '';
    if (key.length === KEY_LENGTH) keys.add(key);
  }
  return keys;
}
