import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { PushDocument } from '../../domain/push/order.js';
import { valuesByName } from './metas.js';
import { base64 } from './order-record.js';
import type { SinkRequest } from './sink-client.js';

/** Where Elasticsearch and OpenSearch differ for us. */
export interface SearchDialect {
  readonly product: string;
  /** A type for metas whose names nobody knows beforehand: one field, no mapping explosion, no guessed types. */
  readonly metas: Readonly<Record<string, unknown>>;
  readonly pitField: 'id' | 'pit_id';
  openPit(index: string, keepAlive: string): Pick<SinkRequest, 'path' | 'query'>;
  closePit(pit: string): Pick<SinkRequest, 'path' | 'body'>;
}

const ELASTICSEARCH: SearchDialect = {
  product: 'Elasticsearch',
  metas: { type: 'flattened', ignore_above: 8191 },
  pitField: 'id',
  openPit: (index, keepAlive) => ({ path: `${index}/_pit`, query: { keep_alive: keepAlive } }),
  closePit: (pit) => ({ path: '_pit', body: JSON.stringify({ id: pit }) }),
};

const OPENSEARCH: SearchDialect = {
  product: 'OpenSearch',
  metas: { type: 'flat_object' },
  pitField: 'pit_id',
  openPit: (index, keepAlive) => ({ path: `${index}/_search/point_in_time`, query: { keep_alive: keepAlive } }),
  closePit: (pit) => ({ path: '_search/point_in_time', body: JSON.stringify({ pit_id: [pit] }) }),
};

export const dialectOf = (type: SinkDefinition['type']): SearchDialect =>
  type === 'opensearch' ? OPENSEARCH : ELASTICSEARCH;

/** `master.bytes` is there for an ingest pipeline (attachment) to read and is not kept in the stored source. */
export const indexSettings = ({ metas }: SearchDialect) => ({
  mappings: {
    dynamic: false,
    _source: { excludes: ['master.bytes'] },
    properties: {
      uri: { type: 'keyword' },
      stamp: { type: 'keyword' },
      crawler: { type: 'keyword' },
      title: { type: 'text' },
      text: { type: 'text' },
      metas,
      master: {
        properties: {
          bytes: { type: 'binary' },
          mimeType: { type: 'keyword' },
          encoding: { type: 'keyword' },
          fileName: { type: 'keyword', ignore_above: 8191 },
        },
      },
    },
  },
});

export function documentSource(crawler: string, { uri, stamp, metas, master, text }: PushDocument) {
  const values = valuesByName(metas, (name) => name || '_');
  const title = values['title']?.[0] ?? '';
  return { uri, stamp, crawler, title, text, metas: values, master: { ...master, bytes: base64(master.bytes) } };
}
