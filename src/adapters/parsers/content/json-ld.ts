/** JSON-LD of a page: found without a tree, bounded, flattened to metas, and queried by path. */
import { MAX_NESTING, measureNesting } from './nesting.js';

const MARK = Buffer.from('ld+json');
const SCRIPT = Buffer.from('<script');
const SCRIPT_END = Buffer.from('</script');
/** Bytes between `<script` and its type. */
const LONGEST_TAG = 1_000;
const MAX_SCRIPTS = 20;
/** Bytes of all scripts of a page. */
const MAX_BYTES = 512 * 1024;
const MAX_ITEMS = 1_000;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Item = { readonly [key: string]: Json };

/** The items described by a page, including those in its graphs. `utf8`: the page. */
export function findJsonLdItems(utf8: Buffer): readonly Item[] {
  let at = utf8.indexOf(MARK);
  if (at < 0) return [];
  const items: Item[] = [];
  let bytes = 0;
  for (let scripts = 0; at >= 0 && scripts < MAX_SCRIPTS && bytes < MAX_BYTES; scripts++) {
    const script = findEnclosingScript(utf8, at);
    if (script && script.end - script.start <= MAX_BYTES - bytes) {
      bytes += script.end - script.start;
      collectItems(parseJson(utf8.toString('utf8', script.start, script.end)), items);
    }
    at = utf8.indexOf(MARK, script?.end ?? at + MARK.length);
  }
  return items;
}

function findEnclosingScript(utf8: Buffer, mark: number): { start: number; end: number } | undefined {
  const from = Math.max(0, mark - LONGEST_TAG);
  const tag = utf8.subarray(from, mark).lastIndexOf(SCRIPT);
  if (tag < 0 || utf8.subarray(from + tag, mark).includes(0x3e)) return undefined;
  const start = utf8.indexOf(0x3e, mark) + 1;
  if (start === 0) return undefined;
  const end = utf8.indexOf(SCRIPT_END, start);
  return { start, end: end < 0 ? utf8.length : end };
}

function parseJson(text: string): Json {
  if (measureNesting(text) > MAX_NESTING) return null;
  try {
    return JSON.parse(text.trim().replace(/^<!--/, '').replace(/-->$/, '')) as Json;
  } catch {
    return null;
  }
}

function collectItems(json: Json, items: Item[]): void {
  if (items.length >= MAX_ITEMS) return;
  if (isList(json)) for (const each of json) collectItems(each, items);
  else if (isItem(json)) {
    const graph = json['@graph'];
    if (graph === undefined) items.push(json);
    else collectItems(graph, items);
  }
}

const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
const isItem = (json: Json | undefined): json is Item => typeof json === 'object' && json !== null && !isList(json);

/** What describes the site rather than the page. */
const OF_THE_SITE = new Set(['BreadcrumbList', 'WebSite', 'SearchAction', 'Organization', 'ImageObject']);
const MAX_METAS = 60;
const MAX_VALUE = 2_000;
const LONGEST_NAME = 100;
const MAX_LEVELS = 2;

/**
 * `jsonld.headline`, `jsonld.author.name` and so on, names in lower case. A thing is represented by its name if there is nothing
 * else.
 */
export function collectMetas(items: readonly Item[], prefix = 'jsonld'): { name: string; value: string }[] {
  const metas: { name: string; value: string }[] = [];
  const seen = new Set<string>();
  const add = (name: string, json: Json, level: number): void => {
    if (metas.length >= MAX_METAS || name.length > LONGEST_NAME) return;
    if (isList(json)) for (const each of json) add(name, each, level);
    else if (isItem(json)) {
      if (level >= MAX_LEVELS || (level === 0 && OF_THE_SITE.has(String(json['@type'])))) return;
      for (const [key, value] of Object.entries(json))
        if (key !== '@id' && key !== '@context') add(`${name}.${key.replace('@', '').toLowerCase()}`, value, level + 1);
    } else if (json !== null && json !== '') {
      const value = String(json).trim().slice(0, MAX_VALUE);
      const identity = `${name}\n${value}`;
      if (!seen.has(identity)) metas.push({ name, value });
      seen.add(identity);
    }
  };
  for (const item of items) add(prefix, item, 0);
  return metas;
}

const MAX_VALUES = 1_000;

/**
 * `offers.price`, or `Product:offers.price` for items of that type only; lists are traversed. Values that are not text, number or
 * boolean are represented by their name.
 */
export function findValues(items: readonly Item[], path: string): string[] {
  const colon = path.indexOf(':');
  const type = colon < 0 ? undefined : path.slice(0, colon);
  const steps = path.slice(colon + 1).split('.');
  const of = items.filter((item) => type === undefined || [item['@type']].flat().includes(type));
  let found: Json[] = [...of];
  for (const step of steps) {
    found = found.flatMap((json) => (isItem(json) ? flatten(json[step]) : [])).slice(0, MAX_VALUES);
  }
  return found.flatMap((json) => {
    const value = isItem(json) ? (json['name'] ?? json['@value'] ?? json['@id']) : json;
    return value === null || value === undefined || typeof value === 'object' ? [] : [String(value)];
  });
}

function flatten(json: Json | undefined): Json[] {
  if (json === undefined) return [];
  return isList(json) ? json.flatMap((each) => (isList(each) ? flatten(each) : [each])) : [json];
}
