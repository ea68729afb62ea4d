/** Finds a page's JSON-LD without a tree and within limits, flattens it to metas, and queries it by path. */
import { findCaseVariant, toCaseVariants } from './letter-case.js';
import { MAX_NESTING, measureNesting } from './nesting.js';

const TYPE_MARK = toCaseVariants('ld+json');
const SCRIPT_END = toCaseVariants('</script');
/** Maximum number of bytes between `<script` and its type. */
const MAX_TAG_LENGTH = 1_000;
const MAX_SCRIPTS = 20;
/** Maximum size in bytes of all JSON-LD scripts of a page together. */
const MAX_BYTES = 512 * 1024;
const MAX_ITEMS = 1_000;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Item = { readonly [key: string]: Json };

/** Returns the items that a page describes, including those in its graphs. `utf8` is the page. */
export function findJsonLdItems(utf8: Buffer): readonly Item[] {
  let position = findCaseVariant(utf8, TYPE_MARK);
  if (position < 0) return [];
  const items: Item[] = [];
  let totalSize = 0;
  for (let scripts = 0; position >= 0 && scripts < MAX_SCRIPTS && totalSize < MAX_BYTES; scripts++) {
    const script = findEnclosingScript(utf8, position);
    if (script && script.end - script.start <= MAX_BYTES - totalSize) {
      totalSize += script.end - script.start;
      collectItems(parseJson(utf8.toString('utf8', script.start, script.end)), items);
    }
    position = findCaseVariant(utf8, TYPE_MARK, script?.end ?? position + TYPE_MARK.lower.length);
  }
  return items;
}

function findEnclosingScript(utf8: Buffer, mark: number): { start: number; end: number } | undefined {
  const from = Math.max(0, mark - MAX_TAG_LENGTH);
  const tagOffset = utf8.toString('latin1', from, mark).toLowerCase().lastIndexOf('<script');
  if (tagOffset < 0 || utf8.subarray(from + tagOffset, mark).includes(0x3e)) return undefined;
  const start = utf8.indexOf(0x3e, mark) + 1;
  if (start === 0) return undefined;
  const end = findCaseVariant(utf8, SCRIPT_END, start);
  return { start, end: end < 0 ? utf8.length : end };
}

function parseJson(text: string): Json {
  if (measureNesting(text) > MAX_NESTING) return null;
  const json = text.trim().replace(/^<!--/, '').replace(/-->$/, '');
  return tryParse(json) ?? tryParse(repairJson(json)) ?? null;
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Strings, comments, and what surrounds the data in XHTML. */
const TOKENS =
  /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n\r]*|<!\[CDATA\[|\]\]>|[\0-\x08\v\f\x0e-\x1f]/g;
/** Strings, commas behind which no value follows, and a semicolon at the end. */
const SUPERFLUOUS = /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)|,(?=\s*(?:[,\]}]|$))|;\s*$/g;

/**
 * Removes comments and the like, then superfluous commas, which may stand before a comment, and escapes the line ends and
 * control characters in strings: templates write them all.
 */
const repairJson = (text: string): string =>
  text
    .replace(TOKENS, (_, string?: string) =>
      string === undefined
        ? ' '
        : string.replace(/[\0-\x1f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
    )
    .replace(SUPERFLUOUS, (_, string = '') => string);

function collectItems(json: Json, items: Item[]): void {
  if (items.length >= MAX_ITEMS) return;
  if (isList(json)) for (const entry of json) collectItems(entry, items);
  else if (isItem(json)) {
    const graph = json['@graph'];
    if (graph === undefined) items.push(json);
    else collectItems(graph, items);
  }
}

const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
const isItem = (json: Json | undefined): json is Item => typeof json === 'object' && json !== null && !isList(json);

/** Types of items that describe the site rather than the page. */
const SITE_TYPES = new Set(['BreadcrumbList', 'WebSite', 'SearchAction', 'Organization', 'ImageObject']);
const MAX_METAS = 60;
const MAX_VALUE_LENGTH = 2_000;
const MAX_NAME_LENGTH = 100;
const MAX_LEVELS = 2;

/** Flattens items to metas such as `jsonld.headline` and `jsonld.author.name`, with names in lower case. */
export function collectMetas(items: readonly Item[], prefix = 'jsonld'): { name: string; value: string }[] {
  const metas: { name: string; value: string }[] = [];
  const seen = new Set<string>();
  const addMeta = (name: string, json: Json, level: number): void => {
    if (metas.length >= MAX_METAS || name.length > MAX_NAME_LENGTH) return;
    if (isList(json)) for (const entry of json) addMeta(name, entry, level);
    else if (isItem(json)) {
      if (level >= MAX_LEVELS || (level === 0 && SITE_TYPES.has(String(json['@type'])))) return;
      for (const [key, value] of Object.entries(json))
        if (key !== '@id' && key !== '@context')
          addMeta(`${name}.${key.replace('@', '').toLowerCase()}`, value, level + 1);
    } else if (json !== null && json !== '') {
      const value = String(json).trim().slice(0, MAX_VALUE_LENGTH);
      const identity = `${name}\n${value}`;
      if (!seen.has(identity)) metas.push({ name, value });
      seen.add(identity);
    }
  };
  for (const item of items) addMeta(prefix, item, 0);
  return metas;
}

const MAX_VALUES = 1_000;

/**
 * Finds the values at a path such as `offers.price`, or `Product:offers.price` for items of that type only; lists are
 * traversed. An item at the end of the path is represented by its name, `@value` or `@id`.
 */
export function findValues(items: readonly Item[], path: string): string[] {
  const colon = path.indexOf(':');
  const type = colon < 0 ? undefined : path.slice(0, colon);
  const steps = path.slice(colon + 1).split('.');
  const candidates = items.filter((item) => type === undefined || [item['@type']].flat().includes(type));
  let found: Json[] = [...candidates];
  for (const step of steps) {
    found = found.flatMap((json) => (isItem(json) ? flatten(json[step]) : [])).slice(0, MAX_VALUES);
  }
  return found.flatMap((json) => {
    const value = isItem(json) ? (json['name'] ?? json['@value'] ?? json['@id']) : json;
    return value === null || value === undefined || typeof value === 'object' ? [] : [String(value)];
  });
}

/** The names of the site that a page's items state: those of the site itself and of the publisher. */
export const findSiteNames = (items: readonly Item[]): string[] => [
  ...findValues(items, 'WebSite:name'),
  ...findValues(items, 'publisher'),
];

function flatten(json: Json | undefined): Json[] {
  if (json === undefined) return [];
  return isList(json) ? json.flatMap((entry) => (isList(entry) ? flatten(entry) : [entry])) : [json];
}
