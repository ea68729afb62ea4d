/** Which of a page's metas are delivered, and under which names. */
import type { Meta } from '../push/order.js';
import { MAX_META_VALUE } from './meta-types.js';
import { normalizeDate } from './typed-values.js';

type Named = { readonly name: string; readonly value: string };

/** Names of metas that are delivered, in lower case. */
const DELIVERED = /^(?:description|keywords|(?:og|twitter|article):.+|(?:dc|dcterms)\..+)$/;
const MAX_METAS = 100;
const MAX_NAME = 100;

/** Where pages state when they were published and modified, most reliable first. */
const PUBLISHED = [
  'article:published_time',
  'jsonld.datepublished',
  'microdata.datepublished',
  'dcterms.issued',
  'dcterms.created',
  'dc.date.issued',
  'dc.date.created',
  'dcterms.date',
  'dc.date',
  'datepublished',
  'parsely-pub-date',
  'date',
];
const MODIFIED = [
  'article:modified_time',
  'og:updated_time',
  'jsonld.datemodified',
  'microdata.datemodified',
  'dcterms.modified',
  'dc.date.modified',
  'datemodified',
  'last-modified',
];

/**
 * The metas to deliver, with `date_published` and `date_modified` if the page has them. `metas` are those of the page,
 * with names in lower case; `structured` is its structured data (JSON-LD and microdata).
 */
export function createDeliveredMetas(metas: readonly Named[], structured: readonly Named[] = []): Meta[] {
  const chosen = metas.filter(({ name, value }) => value !== '' && name.length <= MAX_NAME && DELIVERED.test(name));
  if (chosen.length === 0 && structured.length === 0 && metas.length === 0) return [];
  const all = [...metas, ...structured];
  return [
    ...createDateMeta('date_published', PUBLISHED, all),
    ...createDateMeta('date_modified', MODIFIED, all),
    ...chosen.slice(0, MAX_METAS),
    ...structured,
  ].map(({ name, value, ...type }: Meta) => ({ name, value: value.slice(0, MAX_META_VALUE).toWellFormed(), ...type }));
}

function createDateMeta(name: string, sources: readonly string[], metas: readonly Named[]): Meta[] {
  for (const source of sources) {
    const written = metas.find((meta) => meta.name.toLowerCase() === source)?.value;
    const value = written === undefined ? undefined : normalizeDate(written);
    if (value !== undefined) return [{ name, value, type: 'date' }];
  }
  return [];
}
