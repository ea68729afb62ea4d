import type { PushDocument } from '../../domain/push/order.js';
import type { KeptDocument } from '../../engine/ports/sink.js';
import { asRecord, asString, isRecord } from './answers.js';
import { formatHeading, groupValuesByName, parseForms, selectByType, toMetas } from './metas.js';
import { toBase64 } from './order-record.js';
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

/** `master.bytes` is meant for an ingest pipeline (attachment) and is excluded from the stored source document. */
const createDefaultMapping = ({ metas }: SearchDialect) => ({
  dynamic: false,
  _source: { excludes: ['master.bytes'] },
  dynamic_templates: [
    { dates: { path_match: 'dates.*', mapping: { type: 'date', ignore_malformed: true } } },
    { numbers: { path_match: 'numbers.*', mapping: { type: 'double', ignore_malformed: true } } },
  ],
  properties: {
    uri: { type: 'keyword' },
    stamp: { type: 'keyword' },
    crawler: { type: 'keyword' },
    title: { type: 'text' },
    text: { type: 'text' },
    metas,
    dates: { type: 'object', dynamic: true },
    numbers: { type: 'object', dynamic: true },
    headings: { type: 'text' },
    markdown: { type: 'text', index: false },
    chunks: {
      properties: {
        text: { type: 'text' },
        path: { type: 'text' },
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

/**
 * Builds the body of the request that creates a missing index: the default mappings, overridden and extended by the
 * operator's template.
 */
export function buildIndexBody(dialect: SearchDialect, template?: string, alias?: string) {
  const { settings, mappings, aliases } = asRecord(template === undefined ? {} : JSON.parse(template));
  const defaults = createDefaultMapping(dialect);
  const properties = { ...defaults.properties, ...asRecord(asRecord(mappings)['properties']) };
  const names = { ...asRecord(aliases), ...(alias === undefined ? {} : { [alias]: {} }) };
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(Object.keys(names).length === 0 ? {} : { aliases: names }),
    mappings: { ...defaults, ...asRecord(mappings), properties },
  };
}

export function toSourceDocument(crawler: string, document: PushDocument) {
  const { uri, stamp, metas, master, text, headings, markdown, chunks } = document;
  const values = groupValuesByName(metas, (name) => name || '_');
  const title = values['title']?.[0] ?? '';
  return {
    uri,
    stamp,
    crawler,
    title,
    text,
    metas: values,
    dates: groupTypedValues(metas, 'date'),
    numbers: groupTypedValues(metas, 'number'),
    headings: headings?.map(formatHeading),
    markdown,
    chunks,
    master: { ...master, bytes: toBase64(master.bytes) },
  };
}

/** Returns undefined if there are no values. Dots in names are replaced, because they would create nested objects. */
function groupTypedValues(metas: PushDocument['metas'], type: 'date' | 'number') {
  const typedMetas = selectByType(metas, type);
  return typedMetas.length === 0
    ? undefined
    : groupValuesByName(typedMetas, (name) => name.replace(/[.\s]+/g, '_') || '_');
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
const OBJECT_FIELDS = ['metas', 'dates', 'numbers', 'master', 'chunks'];

/** Returns what is wrong with the fields of an index that cannot hold what every document has. */
export function findSchemaFaults(mappings: Readonly<Record<string, unknown>>): string[] {
  const properties = asRecord(mappings['properties']);
  const findFault = (name: string, accepted: ReadonlySet<string>, needed: string): string[] => {
    const field = properties[name];
    if (field === undefined)
      return mappings['dynamic'] === 'strict' ? [`\`${name}\` is missing (dynamic: strict)`] : [];
    const { type, enabled, properties: children } = asRecord(field);
    const actual = asString(type) ?? (children === undefined && enabled === undefined ? 'nothing' : 'object');
    return accepted.has(actual) ? [] : [`\`${name}\` is mapped as ${actual} and receives ${needed}`];
  };
  return [
    ...TEXT_FIELDS.flatMap((name) => findFault(name, TEXT_TYPES, 'text')),
    ...OBJECT_FIELDS.flatMap((name) => findFault(name, OBJECT_TYPES, 'an object')),
  ];
}
