import type { Meta } from '../push/order.js';
import { normalizeDate } from './typed-values.js';

/**
 * Maximum number of characters in a value taken from a page: search engines reject documents with overlong terms (more
 * than 32,766 bytes in Lucene).
 */
export const MAX_META_VALUE_LENGTH = 8_000;

/** The metas to which Crawlway itself assigns a type. */
const TYPES: ReadonlyMap<string, Meta['type']> = new Map([
  ['lastmodifieddate', 'date'],
  ['crawl_time', 'date'],
  ['date_created', 'date'],
  ['date_modified', 'date'],
  ['date_published', 'date'],
  ['file_size', 'number'],
  ['http_status', 'number'],
  ['page_count', 'number'],
  ['pages_without_text', 'number'],
  ['row_count', 'number'],
  ['sheet_count', 'number'],
  ['slide_count', 'number'],
  ['unknown_characters_percent', 'number'],
]);

const TIME = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Search engines refuse documents with values that do not have their type: plug-ins and configurations may give any. */
export function toTypedMeta(name: string, value: string): Meta {
  const type = TYPES.get(name);
  if (type === undefined) return { name, value };
  if (type === 'number') return NUMBER.test(value) ? { name, value, type } : { name, value };
  const time = TIME.test(value) ? value : normalizeDate(value);
  return time === undefined ? { name, value } : { name, value: time, type };
}
