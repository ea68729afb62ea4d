/** Reads a page's microdata (`itemscope`, `itemprop`) as items like those of JSON-LD. `itemref` is not followed. */
import type { Json } from './json-ld.js';
import { findCaseVariant, toCaseVariants } from './letter-case.js';
import { type Element, isElement, isText, type ParentNode, walkElements } from './nodes.js';
import { createReadingBudget, extractElementText, type ReadingBudget } from './readable.js';

const MICRODATA_SIGN = toCaseVariants('itemscope');
const MAX_ITEMS = 100;
const MAX_PROPERTIES = 200;
/** Maximum number of names of one property. */
const MAX_NAMES = 20;
/** Maximum nesting depth of items. */
const MAX_DEPTH = 4;

type Item = { readonly [key: string]: Json };

export const hasMicrodata = (utf8: Buffer): boolean => findCaseVariant(utf8, MICRODATA_SIGN) >= 0;

/** `base` is the base URL of relative addresses. */
export function findMicrodataItems(
  elements: readonly Element[],
  base: string,
  budget = createReadingBudget(elements.length),
): Item[] {
  const page = { base, budget };
  const items: Item[] = [];
  for (const element of elements) {
    if (items.length >= MAX_ITEMS) break;
    if (element.hasAttribute('itemscope') && !element.hasAttribute('itemprop')) items.push(readItem(element, page, 0));
  }
  return items;
}

interface Page {
  readonly base: string;
  readonly budget: ReadingBudget;
}

function readItem(element: Element, page: Page, depth: number): Item {
  const properties = new Map<string, Json[]>();
  const type = findItemType(element);
  if (type !== undefined) properties.set('@type', [type]);
  let remaining = MAX_PROPERTIES;
  const walk = (node: Element): void => {
    for (const child of node.children) {
      if (!isElement(child) || remaining <= 0) continue;
      const names = child.getAttribute('itemprop')?.trim();
      const isItem = child.hasAttribute('itemscope');
      if (names) {
        remaining--;
        const value = isItem
          ? depth < MAX_DEPTH
            ? readItem(child, page, depth + 1)
            : null
          : readPropertyValue(child, page);
        for (const name of new Set(names.split(/\s+/, MAX_NAMES)))
          properties.set(name, [...(properties.get(name) ?? []), value]);
      }
      if (!isItem) walk(child);
    }
  };
  walk(element);
  return Object.fromEntries(properties);
}

/** Returns the last part of a type such as `https://schema.org/Product`. */
function findItemType(element: Element): string | undefined {
  const [firstType] = (element.getAttribute('itemtype') ?? '').trim().split(/\s+/);
  return firstType ? firstType.slice(Math.max(firstType.lastIndexOf('/'), firstType.lastIndexOf('#')) + 1) : undefined;
}

/** The attribute that contains the value, by element (WHATWG HTML, 5.2.4). */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  object: 'data',
};
const VALUE_ATTRIBUTES: Readonly<Record<string, string>> = { data: 'value', meter: 'value', time: 'datetime' };

/** Longer values are cut when they become metas. */
const MAX_VALUE_LENGTH = 2_000;

function readPropertyValue(element: Element, { base, budget }: Page): Json {
  // Sites use `content` on any element, so it takes precedence.
  const content = element.getAttribute('content');
  if (content !== undefined) return content.trim();
  const url = element.getAttribute(URL_ATTRIBUTES[element.name] ?? '');
  if (url !== undefined) return URL.parse(url.trim(), base)?.href ?? null;
  return (
    element.getAttribute(VALUE_ATTRIBUTES[element.name] ?? '')?.trim() ??
    extractElementText(element, { budget, maxLength: MAX_VALUE_LENGTH })
  );
}

const DISCUSSION = /\b(?:DiscussionForumPosting|QAPage)\b/;
const MAX_KIND_LENGTH = 200;
const MAX_JSON_LD_LENGTH = 200_000;

/** Programs for forums write the kind of the page into these attributes of `html` or `body`. */
const KIND_ATTRIBUTES = ['class', 'id', 'data-template', 'data-pagecontroller'];
const THREAD = /(?:^|[\s_-])(?:thread|topic|viewtopic|showthread)(?:[\s_-]|$)/i;

/** Says whether a page is a thread of a forum or a question, by its JSON-LD, microdata, or the program that made it. */
export function statesDiscussion(root: ParentNode): boolean {
  for (const element of walkElements(root)) {
    if (element.name === 'html' || element.name === 'body') {
      const kinds = KIND_ATTRIBUTES.map((name) => (element.getAttribute(name) ?? '').slice(0, MAX_KIND_LENGTH));
      if (THREAD.test(kinds.join(' '))) return true;
    }
    if (element.name !== 'script') {
      if (DISCUSSION.test(element.getAttribute('itemtype') ?? '')) return true;
    } else if (element.getAttribute('type') === 'application/ld+json')
      for (const child of element.children)
        if (isText(child) && DISCUSSION.test(child.data.slice(0, MAX_JSON_LD_LENGTH))) return true;
  }
  return false;
}
