/** Sinks: where orders are delivered. */
import { MAP_TYPES } from '../../../domain/push/map-steps.js';
import { SINK_TYPE_NAMES } from '../../../domain/push/sink-types.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory, mebibytesToBytes } from './spec.js';

const element = createElementFactory('cw');

export const SINK = element(
  'Sink',
  'Where orders are delivered.',
  {
    name: attribute(t.name, 'Name to use in PushTo.', { required: true }),
    type: attribute(t.enumeration(SINK_TYPE_NAMES), 'Type of the destination.', {
      required: true,
    }),
    url: attribute(
      t.target,
      'Base URL of the server. `file`: path of a .jsonl, .ndjson or .json file, `warc`: path of a .warc or .warc.gz file, both below the folder for file sinks (CRAWLWAY_FILE_SINKS); `postgresql`: `postgresql://host:5432/database`, with `?sslmode=disable` if the server has no TLS; `kafka`: `kafka://host:9092`, or `kafkas://` for TLS, with several brokers separated by commas; `plugin`: `plugin:` and the name of a Plugin.',
      { required: true, variables: true },
    ),
    connector: attribute(
      t.nonEmptyText,
      '`papi`: name of the connector. Default: a name unique to this database, `crawlway-` and six digits, which GET /sinks shows (`crawlway` for older databases).',
    ),
    index: attribute(
      t.nonEmptyText,
      '`elasticsearch`, `opensearch`: name of the index; `solr`: name of the collection.',
    ),
    login: attribute(t.nonEmptyText, 'User name; sent with Basic authentication over HTTP.', { variables: true }),
    password: attribute(t.text, 'Password.', { secret: true }),
    apiKey: attribute(t.nonEmptyText, '`elasticsearch`: API key, instead of login and password.', { secret: true }),
    table: attribute(t.sqlTable, '`postgresql`: name of the table, or `schema.table`; created if it does not exist.', {
      default: 'documents',
    }),
    rotateBytes: attribute(
      t.byteCount,
      '`file`, `warc`: number of bytes after which a file is full and a new one is started. Default: no limit for `file`, 1 GiB for `warc`.',
    ),
    compress: attribute(
      t.enumeration(['gzip']),
      '`file`: full files are compressed. Documents in them are not copied to other sinks.',
    ),
    topic: attribute(t.name, '`kafka`: name of the topic, which must exist.'),
    mechanism: attribute(
      t.enumeration(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']),
      '`kafka`: SASL mechanism, with `login` and `password`. Default: PLAIN.',
    ),
    search: attribute(
      t.name,
      '`postgresql`: text search configuration (`simple`, `english` …) for a generated, indexed column `search` built from title and text. If this is not set, the column is not created.',
    ),
    secret: attribute(t.nonEmptyText, '`json`: key for the HMAC-SHA256 signature.', { secret: true }),
    fingerprint: attribute(
      t.fingerprint,
      'Over HTTPS: SHA-256 fingerprint of the server certificate, or of the certificate of the authority that issued it. The certificate is then trusted because of this fingerprint alone.',
    ),
    pipeline: attribute(t.nonEmptyText, '`elasticsearch`, `opensearch`: ingest pipeline that documents go through.'),
    alias: attribute(t.nonEmptyText, '`elasticsearch`, `opensearch`: alias of the index.'),
    template: attribute(
      t.fileName,
      '`elasticsearch`, `opensearch`: JSON file with `settings`, `mappings` and `aliases` in addition to those of Crawlway; they are put into an index template named `crawlway-` and the index, from which a missing index is created.',
    ),
    routing: attribute(
      t.enumeration(['host']),
      '`elasticsearch`, `opensearch`: store all documents of a host in the same shard. Only for a new index.',
    ),
    versions: attribute(
      t.enumeration(['external']),
      '`elasticsearch`, `opensearch`: send the decision time of each write as its external version (`external_gte`), so that the engine refuses a write that is older than what it holds.',
    ),
    awsRegion: attribute(
      t.nonEmptyText,
      '`opensearch`: region of an Amazon OpenSearch domain; requests are signed with Signature Version 4, using `login` as access key and `password` as secret key.',
    ),
    awsService: attribute(
      t.enumeration(['es', 'aoss']),
      '`opensearch`: service for which requests are signed, `es` for domains (default), `aoss` for serverless collections.',
    ),
    awsSessionToken: attribute(t.nonEmptyText, '`opensearch`: session token of temporary AWS credentials.', {
      secret: true,
    }),
    documentText: attribute(
      t.enumeration(['send', 'omit']),
      '`papi`: whether the text of documents that are not pages (PDF, Office documents and others) is sent as a second part named `text`, in addition to their bytes. `omit` is for a server that extracts the text itself. Default: `send`.',
    ),
    batchDocuments: attribute(t.integer(1, 10_000), 'Maximum number of orders in one request.', { default: '50' }),
    batchBytes: attribute(t.integer(1), 'Maximum size of one request.', {
      default: mebibytesToBytes(8),
      unit: 'bytes',
    }),
    batchAgeMS: attribute(
      t.durationMs(),
      'Maximum time that an order waits for others to be sent with it; if none can arrive in that time, it is sent at once.',
      {
        default: '1000',
        unit: 'ms',
      },
    ),
    timeoutMS: attribute(t.durationMs(1), 'Maximum time to wait for a response.', { default: '60000', unit: 'ms' }),
    concurrency: attribute(t.integer(1, 64), 'Maximum number of requests in flight at once.', { default: '2' }),
  },
  { children: ['AllowAddress', 'CertificateAuthority', 'ClientCertificate', 'Map'] },
);

export const CLIENT_CERTIFICATE = element(
  'ClientCertificate',
  'A certificate that Crawlway presents to the server, with its private key: in PEM files, or both written inside the element.',
  {
    file: attribute(t.fileName, 'File with the certificate, and the key unless `key` names another file.'),
    key: attribute(t.fileName, 'File with the private key.'),
    passphrase: attribute(t.text, 'Passphrase of the private key.', { secret: true }),
  },
  { once: true, text: 'Certificate and private key in PEM form.' },
);

export const MAP = element(
  'Map',
  'Changes one field (meta) of the documents before they are sent to this sink. The elements are applied in the order in which they are written, and the changes within one element in the order of this table. If a value cannot be changed as required, the order is refused, and the refusal states the field and the reason.',
  {
    field: attribute(
      t.nonEmptyText,
      'Name of the meta; a `*` at the end matches any ending; `text` is the extracted text.',
      {
        required: true,
      },
    ),
    default: attribute(t.text, 'Value for documents without this field.'),
    split: attribute(
      t.text,
      'Separator at which to split the value into several values; spaces around them are removed.',
    ),
    join: attribute(t.text, 'Separator with which to join several values into one.'),
    dateFormat: attribute(
      t.datePattern,
      'Format of the dates: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and anything between them. The value becomes ISO 8601, UTC.',
    ),
    type: attribute(
      t.enumeration(MAP_TYPES),
      'Required type of the values; they are written in a uniform format: `12`, `1.5`, `true`, `2026-01-31T00:00:00.000Z`.',
    ),
    lowerCase: attribute(t.boolean, 'Convert values to lower case.', { default: 'false' }),
    hash: attribute(t.enumeration(['sha256']), 'Replace each value by its digest, in hexadecimal.'),
    copyTo: attribute(t.nonEmptyText, 'Name of an additional field with the same values.'),
    rename: attribute(
      t.nonEmptyText,
      'New name of the field; with `field="dc.*"` and `rename="dublin_*"` the rest of the name stays the same.',
    ),
    drop: attribute(t.boolean, 'Do not send the field to the sink.', { default: 'false' }),
  },
);
