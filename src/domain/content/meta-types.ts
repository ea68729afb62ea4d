import type { Meta } from '../push/order.js';

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

export function toTypedMeta(name: string, value: string): Meta {
  const type = TYPES.get(name);
  return type === undefined ? { name, value } : { name, value, type };
}
