/** Sinks: where orders are delivered. */
import { MAP_TYPES } from '../../../domain/push/map-steps.js';
import { SINK_TYPE_NAMES } from '../../../domain/push/sink-types.js';
import * as t from '../value-types.js';
import { attribute, elementFactory } from './spec.js';

const element = elementFactory('cw');

const mebibytes = (n: number): string => String(n * 1024 * 1024);

export const SINK = element(
  'Sink',
  'Where orders are delivered.',
  {
    name: attribute(t.name, 'Name, for PushTo.', { required: true }),
    type: attribute(t.enumeration(SINK_TYPE_NAMES), 'Protocol.', {
      required: true,
    }),
    url: attribute(
      t.target,
      'Base URL; for `file` the path of a .jsonl, .ndjson or .json file, for `warc` of a .warc or .warc.gz file, below the folder for file sinks (CRAWLWAY_FILE_SINKS); for `postgresql` `postgresql://host:5432/database`, with `?sslmode=disable` where the server has no TLS; for `kafka` `kafka://host:9092`, several brokers with commas, `kafkas://` over TLS; for `plugin` `plugin:` and the name of a Plugin.',
      { required: true, variables: true },
    ),
    connector: attribute(
      t.word,
      '`papi`: name of the connector; by default one unique to this database, `crawlway-` and six digits, which GET /sinks shows (`crawlway` for older databases).',
    ),
    index: attribute(t.word, '`elasticsearch`, `opensearch`: name of the index; `solr`: of the collection.'),
    login: attribute(t.word, 'User name; over HTTP by Basic authentication.', { variables: true }),
    password: attribute(t.text, 'Password.', { secret: true }),
    apiKey: attribute(t.word, '`elasticsearch`: API key, instead of login and password.', { secret: true }),
    table: attribute(t.sqlTable, '`postgresql`: name of the table, or `schema.table`; created if it does not exist.', {
      default: 'documents',
    }),
    rotateBytes: attribute(
      t.byteCount,
      '`file`, `warc`: bytes after which a file is full and another one begins. `file`: without, it grows; `warc`: 1 GiB.',
    ),
    compress: attribute(
      t.enumeration(['gzip']),
      '`file`: full files are compressed. Documents in them are not copied to other sinks.',
    ),
    topic: attribute(t.name, '`kafka`: name of the topic; it has to exist.'),
    mechanism: attribute(
      t.enumeration(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']),
      '`kafka`: SASL mechanism, with `login` and `password`. Default PLAIN.',
    ),
    search: attribute(
      t.name,
      '`postgresql`: text search configuration (`simple`, `english` …) of a generated column `search` with an index over title and text. Absent: no such column.',
    ),
    secret: attribute(t.word, '`json`: key of the signature, HMAC-SHA256.', { secret: true }),
    fingerprint: attribute(
      t.fingerprint,
      'Over HTTPS: SHA-256 fingerprint of the certificate of the server, or of the authority that issued it. The certificate is then trusted for this fingerprint alone.',
    ),
    pipeline: attribute(t.word, '`elasticsearch`, `opensearch`: ingest pipeline that documents go through.'),
    alias: attribute(t.word, '`elasticsearch`, `opensearch`: alias that the index gets.'),
    template: attribute(
      t.fileName,
      '`elasticsearch`, `opensearch`: JSON file with `settings`, `mappings` and `aliases` beside those of Crawlway; they are put into an index template named `crawlway-` and the index, by which a missing index is made.',
    ),
    routing: attribute(
      t.enumeration(['host']),
      '`elasticsearch`, `opensearch`: documents of one host go to one shard. Only for a new index.',
    ),
    versions: attribute(
      t.enumeration(['external']),
      '`elasticsearch`, `opensearch`: each write carries the time of its decision as external version (`external_gte`), so that the engine refuses one that is older than what it holds.',
    ),
    awsRegion: attribute(
      t.word,
      '`opensearch`: region of an Amazon OpenSearch domain; requests are signed by Signature Version 4, with `login` as access key and `password` as secret key.',
    ),
    awsService: attribute(
      t.enumeration(['es', 'aoss']),
      '`opensearch`: service that requests are signed for, `es` for domains (default), `aoss` for serverless collections.',
    ),
    awsSessionToken: attribute(t.word, '`opensearch`: session token of temporary AWS credentials.', { secret: true }),
    documentText: attribute(
      t.enumeration(['send', 'omit']),
      '`papi`: whether the text of documents that are not pages (PDF, office and the like) is sent as a second part named `text`, beside their bytes. `omit` is for a server that extracts it itself. Default send.',
    ),
    batchDocuments: attribute(t.integer(1, 10_000), 'Orders in one request, at most.', { default: '50' }),
    batchBytes: attribute(t.integer(1), 'Size of one request, at most.', { default: mebibytes(8), unit: 'bytes' }),
    batchAgeMS: attribute(
      t.durationMs(),
      'Longest time that an order waits for others; when none can come in that time, it is sent at once.',
      {
        default: '1000',
        unit: 'ms',
      },
    ),
    timeoutMS: attribute(t.durationMs(1), 'Longest wait for an answer.', { default: '60000', unit: 'ms' }),
    concurrency: attribute(t.integer(1, 64), 'Requests in flight at once.', { default: '2' }),
  },
  { children: ['AllowAddress', 'CertificateAuthority', 'ClientCertificate', 'Map'] },
);

export const CLIENT_CERTIFICATE = element(
  'ClientCertificate',
  'A certificate that Crawlway shows to the server, with its private key: in PEM files, or both written inside the element.',
  {
    file: attribute(t.fileName, 'File with the certificate, and the key unless `key` names another file.'),
    key: attribute(t.fileName, 'File with the private key.'),
    passphrase: attribute(t.text, 'Passphrase of the private key.', { secret: true }),
  },
  { once: true, text: 'Certificate and private key, PEM.' },
);

export const MAP = element(
  'Map',
  'Changes one field (meta) of the documents before they go to this sink. Elements are carried out in their order, the changes of one element in the order of this table. If a value cannot be changed as asked, the order is refused, with the field and the reason.',
  {
    field: attribute(t.word, 'Name of the meta; `*` at the end stands for any rest; `text` is the extracted text.', {
      required: true,
    }),
    default: attribute(t.text, 'Value for documents that have none.'),
    split: attribute(t.text, 'Text that separates several values; spaces around them are removed.'),
    join: attribute(t.text, 'Text that is put between several values, to make them one.'),
    dateFormat: attribute(
      t.datePattern,
      'How dates are written: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and anything between them. The value becomes ISO 8601, UTC.',
    ),
    type: attribute(
      t.enumeration(MAP_TYPES),
      'What values have to be; they are written in one form: `12`, `1.5`, `true`, `2026-01-31T00:00:00.000Z`.',
    ),
    lowerCase: attribute(t.boolean, 'Values become lower case.', { default: 'false' }),
    hash: attribute(t.enumeration(['sha256']), 'The digest of each value instead of the value, hexadecimal.'),
    copyTo: attribute(t.word, 'A further field with the same values.'),
    rename: attribute(
      t.word,
      'Another name of the field; with `field="dc.*"` and `rename="dublin_*"` the rest of the name stays.',
    ),
    drop: attribute(t.boolean, 'The field does not go to the sink.', { default: 'false' }),
  },
);
