/** Microdata of a page (`itemscope`, `itemprop`) as items like those of JSON-LD. `itemref` is not followed. */
import type { Json } from './json-ld.js';
import { type Element, isElement } from './nodes.js';
import { extractElementText } from './readable.js';

const SIGN = Buffer.from('itemscope');
const MAX_ITEMS = 100;
const MAX_PROPERTIES = 200;
/** Names of one property. */
const MAX_NAMES = 20;
/** Items in each other. */
const DEEPEST = 4;

type Item = { readonly [key: string]: Json };

export const hasMicrodata = (utf8: Buffer): boolean => utf8.includes(SIGN);

/** `base`: the base of relative addresses. */
export function findMicrodataItems(elements: readonly Element[], base: string): Item[] {
  const items: Item[] = [];
  for (const element of elements) {
    if (items.length >= MAX_ITEMS) break;
    if (element.has('itemscope') && !element.has('itemprop')) items.push(readItem(element, base, 0));
  }
  return items;
}

function readItem(element: Element, base: string, depth: number): Item {
  const properties = new Map<string, Json[]>();
  const type = findItemType(element);
  if (type !== undefined) properties.set('@type', [type]);
  let left = MAX_PROPERTIES;
  const walk = (node: Element): void => {
    for (const child of node.children) {
      if (!isElement(child) || left <= 0) continue;
      const names = child.getAttribute('itemprop')?.trim();
      const isItem = child.has('itemscope');
      if (names) {
        left--;
        const value = isItem
          ? depth < DEEPEST
            ? readItem(child, base, depth + 1)
            : null
          : readPropertyValue(child, base);
        for (const name of new Set(names.split(/\s+/, MAX_NAMES)))
          properties.set(name, [...(properties.get(name) ?? []), value]);
      }
      if (!isItem) walk(child);
    }
  };
  walk(element);
  return Object.fromEntries(properties);
}

/** The last part of `https://schema.org/Product`. */
function findItemType(element: Element): string | undefined {
  const [first] = (element.getAttribute('itemtype') ?? '').trim().split(/\s+/);
  return first ? first.slice(Math.max(first.lastIndexOf('/'), first.lastIndexOf('#')) + 1) : undefined;
}

/** The attribute that contains the value, by element (WHATWG HTML, 5.2.4). */
const ADDRESSES: Readonly<Record<string, string>> = {
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
const VALUES: Readonly<Record<string, string>> = { data: 'value', meter: 'value', time: 'datetime' };

function readPropertyValue(element: Element, base: string): Json {
  // Sites write `content` on any element, and mean it.
  const content = element.getAttribute('content');
  if (content !== undefined) return content.trim();
  const address = element.getAttribute(ADDRESSES[element.name] ?? '');
  if (address !== undefined) return URL.parse(address.trim(), base)?.href ?? null;
  return element.getAttribute(VALUES[element.name] ?? '')?.trim() ?? extractElementText(element);
}
