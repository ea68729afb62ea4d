import type { PushDocument } from '../../domain/push/order.js';
import type { KeptDocument } from '../../engine/ports/sink.js';
import { asRecord, asString, isRecord } from './answers.js';
import { formatHeading, groupValuesByName, parseForms, selectByType, toMetas } from './metas.js';
import { toBase64 } from './order-record.js';
import { findSearchFields, type SearchFields } from './search-fields.js';
import type { SinkRequest } from './sink-client.js';

/** The relevant differences between Elasticsearch and OpenSearch. */
export interface SearchDialect {
  readonly product: string;
  /** The mapping for metas with arbitrary names: a single field, which avoids a mapping explosion and guessed types. */
  readonly metas: Readonly<Record<string, unknown>>;
  readonly pitField: 'id' | 'pit_id';
  openPointInTime(index: string, keepAlive: string): Pick<SinkRequest, 'path' | 'query'>;
  closePointInTime(pit: string): Pick<SinkRequest, 'path' | 'body'>;
}

const ELASTICSEARCH: SearchDialect = {
  product: 'Elasticsearch',
  metas: { type: 'flattened', ignore_above: 8191 },
  pitField: 'id',
  openPointInTime: (index, keepAlive) => ({ path: `${index}/_pit`, query: { keep_alive: keepAlive } }),
  closePointInTime: (pit) => ({ path: '_pit', body: JSON.stringify({ id: pit }) }),
};

const OPENSEARCH: SearchDialect = {
  product: 'OpenSearch',
  metas: { type: 'flat_object' },
  pitField: 'pit_id',
  openPointInTime: (index, keepAlive) => ({ path: `${index}/_search/point_in_time`, query: { keep_alive: keepAlive } }),
  closePointInTime: (pit) => ({ path: '_search/point_in_time', body: JSON.stringify({ pit_id: [pit] }) }),
};

export const getDialect = (type: 'elasticsearch' | 'opensearch'): SearchDialect =>
  type === 'opensearch' ? OPENSEARCH : ELASTICSEARCH;

/** To be raised when the mapping changes; an index shows with which one it was created. */
const MAPPING_VERSION = 4;

/** The analyzers that both products contain, by language. */
const ANALYZERS: Readonly<Record<string, string>> = {
  ...{ ar: 'arabic', bg: 'bulgarian', bn: 'bengali', ca: 'catalan', cs: 'czech', da: 'danish', de: 'german' },
  ...{ el: 'greek', en: 'english', es: 'spanish', et: 'estonian', eu: 'basque', fa: 'persian', fi: 'finnish' },
  ...{ fr: 'french', ga: 'irish', gl: 'galician', hi: 'hindi', hu: 'hungarian', hy: 'armenian', id: 'indonesian' },
  ...{ it: 'italian', ja: 'cjk', ko: 'cjk', lt: 'lithuanian', lv: 'latvian', nl: 'dutch', no: 'norwegian' },
  ...{ pt: 'portuguese', ro: 'romanian', ru: 'russian', sv: 'swedish', th: 'thai', tr: 'turkish', zh: 'cjk' },
};
/** Languages that are written in the same way as another one, for this purpose. */
const SAME_ANALYZER: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };

const WORDS = { type: 'text' } as const;
/** For `match_bool_prefix`, while a word is being typed; of types and analyzers in the core of both products. */
const COMPLETED_WORDS = { type: 'text', index_prefixes: { min_chars: 1, max_chars: 10 } } as const;
const createAnalyzedFields = (analyzer: string) => {
  const field = { type: 'text', analyzer };
  return { properties: { title: field, headings: field, description: field, text: field } };
};

/** `master.bytes` is meant for an ingest pipeline (attachment) and is excluded from the stored source document. */
export const createDefaultMapping = ({ metas }: SearchDialect, analysis?: 'language') => ({
  _meta: { crawlway: { mapping: MAPPING_VERSION } },
  dynamic: false,
  _source: { excludes: ['master.bytes'] },
  dynamic_templates: [
    { dates: { path_match: 'dates.*', mapping: { type: 'date', ignore_malformed: true } } },
    { numbers: { path_match: 'numbers.*', mapping: { type: 'double', ignore_malformed: true } } },
  ],
  properties: {
    // The standard analyzer would keep `vacuum.html` together.
    uri: { type: 'keyword', fields: { words: { type: 'text', analyzer: 'simple' } } },
    stamp: { type: 'keyword' },
    crawler: { type: 'keyword' },
    host: { type: 'keyword' },
    path: { type: 'keyword', ignore_above: 2048 },
    language: { type: 'keyword', ignore_above: 256 },
    contentType: { type: 'keyword', ignore_above: 256 },
    lastModified: { type: 'date', ignore_malformed: true },
    title: {
      type: 'text',
      fields: { keyword: { type: 'keyword', ignore_above: 1024 }, completion: COMPLETED_WORDS },
    },
    description: WORDS,
    text: WORDS,
    ...(analysis === undefined
      ? {}
      : {
          analyzed: {
            properties: Object.fromEntries(
              Object.entries(ANALYZERS).map(([language, analyzer]) => [language, createAnalyzedFields(analyzer)]),
            ),
          },
        }),
    metas,
    dates: { type: 'object', dynamic: true },
    numbers: { type: 'object', dynamic: true },
    headings: WORDS,
    markdown: { type: 'text', index: false },
    chunks: {
      properties: {
        id: { type: 'keyword' },
        anchor: { type: 'keyword' },
        text: WORDS,
        path: WORDS,
        start: { type: 'integer' },
        end: { type: 'integer' },
      },
    },
    master: {
      properties: {
        bytes: { type: 'binary' },
        mimeType: { type: 'keyword' },
        encoding: { type: 'keyword' },
        fileName: { type: 'keyword', ignore_above: 8191 },
      },
    },
  },
});

interface IndexOptions {
  readonly template?: string;
  readonly analysis?: 'language';
}

/**
 * Builds the body of the request that creates a missing index: the default mappings, overridden and extended by the
 * operator's template.
 */
export function buildIndexBody(dialect: SearchDialect, { template, analysis }: IndexOptions) {
  const { settings, mappings, aliases } = asRecord(template === undefined ? {} : JSON.parse(template));
  const defaults = createDefaultMapping(dialect, analysis);
  const properties = { ...defaults.properties, ...asRecord(asRecord(mappings)['properties']) };
  const names = asRecord(aliases);
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(Object.keys(names).length === 0 ? {} : { aliases: names }),
    mappings: { ...defaults, ...asRecord(mappings), properties },
  };
}

export function toSourceDocument(crawler: string, document: PushDocument, analysis?: 'language') {
  const { uri, stamp, metas, master, text, headings, markdown, chunks } = document;
  const values = groupValuesByName(metas, (name) => name || '_');
  const title = values['title']?.[0] ?? '';
  const fields = findSearchFields(document);
  const analyzed =
    analysis && createAnalyzedForm(fields, { title, headings: headings?.map((heading) => heading.text), text });
  return {
    uri,
    stamp,
    crawler,
    ...fields,
    title,
    text,
    analyzed,
    metas: values,
    dates: groupTypedValues(metas, 'date'),
    numbers: groupTypedValues(metas, 'number'),
    headings: headings?.map(formatHeading),
    markdown,
    chunks,
    master: { ...master, bytes: toBase64(master.bytes) },
  };
}

/** The words of the document under its language; undefined if no analyzer knows it. */
function createAnalyzedForm({ language = '', description }: SearchFields, words: object) {
  const [code = ''] = language.toLowerCase().split(/[-_]/);
  const field = SAME_ANALYZER[code] ?? code;
  return Object.hasOwn(ANALYZERS, field) ? { [field]: { ...words, description } } : undefined;
}

/**
 * Returns undefined if there are no values; a single value is not a list. Dots in names are replaced, because they
 * would create nested objects.
 */
function groupTypedValues(metas: PushDocument['metas'], type: 'date' | 'number') {
  const typedMetas = selectByType(metas, type);
  if (typedMetas.length === 0) return undefined;
  const groups = groupValuesByName(typedMetas, (name) => name.replace(/[.\s]+/g, '_') || '_');
  const convert = (value: string): string | number => {
    const number = type === 'number' ? Number(value) : Number.NaN;
    // What cannot be represented exactly, or is no number, is left to the engine.
    return String(number) === value ? number : value;
  };
  return Object.fromEntries(
    Object.entries(groups).map(([name, values]) => {
      const converted = values.map(convert);
      return [name, converted.length === 1 ? converted[0]! : converted];
    }),
  );
}

/** Returns undefined for a document that another program has put into the index. */
export function toKeptDocument(source: Readonly<Record<string, unknown>>): KeptDocument | undefined {
  const [uri, stamp, crawler, text] = ['uri', 'stamp', 'crawler', 'text'].map((name) => asString(source[name]));
  const metas = source['metas'];
  if (uri === undefined || stamp === undefined || crawler === undefined || text === undefined || !isRecord(metas))
    return undefined;
  const { mimeType, encoding, fileName } = asRecord(source['master']);
  const master = {
    bytes: new Uint8Array(),
    mimeType: asString(mimeType) ?? '',
    encoding: asString(encoding),
    fileName: asString(fileName) ?? '',
  };
  return { crawler, document: { uri, stamp, metas: toMetas(metas), master, text, ...parseForms(source) } };
}

/** Types of fields that accept the texts of a document. */
const TEXT_TYPES = new Set([
  'keyword',
  'text',
  'wildcard',
  'match_only_text',
  'search_as_you_type',
  'semantic_text',
  'annotated_text',
  'icu_collation_keyword',
]);
const OBJECT_TYPES = new Set(['object', 'nested', 'flattened', 'flat_object']);
const TEXT_FIELDS = ['uri', 'stamp', 'crawler', 'title', 'text', 'markdown', 'headings'];
/** Repeat what a document says elsewhere, so that it can do without them. Others give the same names to objects (ECS). */
const REPEATED_FIELDS = ['host', 'path', 'language', 'contentType', 'description'] as const;
const REPEATED_TYPES = new Set([...TEXT_TYPES, 'constant_keyword', 'completion', 'nothing']);
const OBJECT_FIELDS = ['metas', 'dates', 'numbers', 'master', 'chunks', 'analyzed'];

const findType = (field: unknown): string => {
  const { type, enabled, properties } = asRecord(field);
  return asString(type) ?? (properties === undefined && enabled === undefined ? 'nothing' : 'object');
};

/** Returns the fields that an index uses for something else, and that are therefore left out of its documents. */
export function findTakenFields(mappings: Readonly<Record<string, unknown>>): string[] {
  const properties = asRecord(mappings['properties']);
  const isTaken = (name: string): boolean =>
    properties[name] === undefined ? mappings['dynamic'] === 'strict' : !REPEATED_TYPES.has(findType(properties[name]));
  const lastModified = properties['lastModified'];
  return [
    ...REPEATED_FIELDS.filter(isTaken),
    ...(lastModified !== undefined && OBJECT_TYPES.has(findType(lastModified)) ? ['lastModified'] : []),
  ];
}

/** Returns what is wrong with the fields of an index that cannot hold what every document has. */
export function findSchemaFaults(mappings: Readonly<Record<string, unknown>>): string[] {
  const properties = asRecord(mappings['properties']);
  const findFault = (name: string, accepted: ReadonlySet<string>, needed: string): string[] => {
    const field = properties[name];
    if (field === undefined)
      return mappings['dynamic'] === 'strict' ? [`\`${name}\` is missing (dynamic: strict)`] : [];
    const actual = findType(field);
    return accepted.has(actual) ? [] : [`\`${name}\` is mapped as ${actual} and receives ${needed}`];
  };
  return [
    ...TEXT_FIELDS.flatMap((name) => findFault(name, TEXT_TYPES, 'text')),
    ...OBJECT_FIELDS.flatMap((name) => findFault(name, OBJECT_TYPES, 'an object')),
  ];
}

/** Returns the fields of the wanted mapping that the index lacks, because it was created with another one. */
export function findMissingFields(
  mappings: Readonly<Record<string, unknown>>,
  wanted: ReturnType<typeof buildIndexBody>['mappings'],
): string[] {
  const properties = asRecord(mappings['properties']);
  return Object.entries(wanted.properties).flatMap(([name, field]) => {
    const present = properties[name];
    if (present === undefined) return [name];
    const subfields = asRecord(asRecord(present)['fields']);
    return Object.keys(asRecord(asRecord(field)['fields'])).flatMap((subfield) =>
      subfields[subfield] === undefined ? [`${name}.${subfield}`] : [],
    );
  });
}
