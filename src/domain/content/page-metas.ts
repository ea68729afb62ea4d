/** Determines which of a page's metas are delivered, and under which names. */
import type { Meta } from '../push/order.js';
import { MAX_META_VALUE_LENGTH } from './meta-types.js';
import { normalizeDate } from './typed-values.js';

type NamedValue = { readonly name: string; readonly value: string };

/** Matches the names of metas that are delivered, in lower case. */
const DELIVERED_NAMES = /^(?:description|keywords|(?:og|twitter|article):.+|(?:dc|dcterms)\..+)$/;
const MAX_METAS = 100;
const MAX_NAME_LENGTH = 100;

/** Names of the metas that state when a page was published or modified, most reliable first. */
const PUBLICATION_DATE_NAMES = [
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
const MODIFICATION_DATE_NAMES = [
  'article:modified_time',
  'og:updated_time',
  'jsonld.datemodified',
  'microdata.datemodified',
  'dcterms.modified',
  'dc.date.modified',
  'datemodified',
  'last-modified',
];
const DATE_NAMES = new Set([...PUBLICATION_DATE_NAMES, ...MODIFICATION_DATE_NAMES]);

/**
 * The metas to deliver, with `date_published` and `date_modified` if the page has them. `metas` are those of the page,
 * with names in lower case; `structured` is its structured data (JSON-LD and microdata).
 */
export function createDeliveredMetas(metas: readonly NamedValue[], structured: readonly NamedValue[] = []): Meta[] {
  const selectedMetas = metas.filter(
    ({ name, value }) => value !== '' && name.length <= MAX_NAME_LENGTH && DELIVERED_NAMES.test(name),
  );
  const dates = [...metas, ...structured].filter(({ name }) => DATE_NAMES.has(name.toLowerCase()));
  return [
    ...createDateMeta('date_published', PUBLICATION_DATE_NAMES, dates),
    ...createDateMeta('date_modified', MODIFICATION_DATE_NAMES, dates),
    ...selectedMetas.slice(0, MAX_METAS),
    ...structured,
  ].map(limitValue);
}

/** Nearly every value is short and well-formed, and then its meta stays as it is. */
function limitValue(meta: Meta): Meta {
  const { value } = meta;
  return value.length <= MAX_META_VALUE_LENGTH && value.isWellFormed()
    ? meta
    : { ...meta, value: value.slice(0, MAX_META_VALUE_LENGTH).toWellFormed() };
}

function createDateMeta(name: string, sources: readonly string[], metas: readonly NamedValue[]): Meta[] {
  if (metas.length === 0) return [];
  for (const source of sources) {
    const raw = metas.find((meta) => meta.name.toLowerCase() === source)?.value;
    const value = raw === undefined ? undefined : normalizeDate(raw);
    if (value !== undefined) return [{ name, value, type: 'date' }];
  }
  return [];
}
