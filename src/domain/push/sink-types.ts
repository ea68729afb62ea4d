/**
 * The types of sinks: how each is configured and what it needs from a document. Each has one row in SINK_TYPES;
 * everything that depends on the type of a sink uses this table. The sinks themselves are in adapters/push.
 */
import type { OptionTable, OptionValues, TypeWithOptions } from '../options.js';
import { findKafkaUrlFault } from './kafka-url.js';
import { findPostgresqlUrlFault } from './postgresql-url.js';

interface SinkTypeRow extends TypeWithOptions {
  readonly label: string;
  /** An example, never a default, because it might be the address of someone else's index. */
  readonly example: string;
  /** What kind of address its `url` is. */
  readonly address: keyof typeof SINK_ADDRESSES;
  /** Whether it reads the extracted text; text is extracted only if something needs it. */
  readonly wantsText: boolean;
  /** Whether it reads the bytes; if no sink does, documents are delivered without them. */
  readonly wantsBytes: boolean;
  /** Which part of a document the sink can return for copying to another sink. */
  readonly keeps: 'nothing' | 'text' | 'bytes';
  /** Whether a document without its bytes is useless to it. */
  readonly needsBytes: boolean;
}

/** For each kind of address, a function that says what was expected if the URL is not valid. */
export const SINK_ADDRESSES = {
  http: (url: string) =>
    /^https?:$/.test(URL.parse(url.trim())?.protocol ?? '')
      ? undefined
      : 'an absolute URL that begins with http:// or https://',
  // The configuration checks the path together with its folder.
  file: (url: string) =>
    /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? 'a path, such as documents.jsonl, not a URL' : undefined,
  postgresql: findPostgresqlUrlFault,
  kafka: findKafkaUrlFault,
  plugin: (url: string) => (/^plugin:[^\s]+$/.test(url) ? undefined : '`plugin:` and the name of a Plugin'),
} as const satisfies Readonly<Record<string, (url: string) => string | undefined>>;

const CREDENTIALS = {
  login: {
    value: 'nonEmptyText',
    meaning: 'user name; sent with Basic authentication over HTTP.',
    variables: true,
  },
  password: { value: 'text', meaning: 'password.', secret: true },
} as const satisfies OptionTable;

/** Options of every sink that is reached with HTTP. If no credentials are set, none are sent. */
export const HTTP_OPTIONS = {
  ...CREDENTIALS,
  apiKey: { value: 'nonEmptyText', meaning: 'API key, instead of login and password.', secret: true },
  fingerprint: {
    value: 'fingerprint',
    meaning:
      'over HTTPS, SHA-256 fingerprint of the server certificate, or of the certificate of the authority that issued it. The certificate is then trusted because of this fingerprint alone.',
  },
} as const satisfies OptionTable;

const SEARCH_OPTIONS = {
  ...HTTP_OPTIONS,
  index: { value: 'nonEmptyText', meaning: 'name of the index.', required: true, destination: true },
  pipeline: { value: 'nonEmptyText', meaning: 'ingest pipeline that documents go through.' },
  alias: { value: 'nonEmptyText', meaning: 'alias of the index.' },
  template: {
    value: 'jsonFile',
    meaning:
      'JSON file with `settings`, `mappings` and `aliases` in addition to those of Crawlway; they are put into an index template named `crawlway-` and the index, from which a missing index is created.',
  },
  analysis: {
    value: ['language'],
    meaning:
      'index title, headings, description and text a second time, in the fields `analyzed.LANGUAGE`, with the analyzer of the detected language, so that a search finds other forms of its words. Only for a new index.',
  },
  routing: {
    value: ['host'],
    meaning: 'store all documents of a host in the same shard. Only for a new index.',
  },
  versions: {
    value: ['external'],
    meaning:
      'send the decision time of each write as its external version (`external_gte`), so that the engine refuses a write that is older than what it holds.',
  },
} as const satisfies OptionTable;

/** For signed requests; the access key and the secret key are login and password. */
export const AWS_OPTIONS = {
  awsRegion: {
    value: 'nonEmptyText',
    meaning:
      'region of an Amazon OpenSearch domain; requests are signed with Signature Version 4, using `login` as access key and `password` as secret key.',
  },
  awsService: {
    value: ['es', 'aoss'],
    meaning: 'service for which requests are signed, `es` for domains (default), `aoss` for serverless collections.',
  },
  awsSessionToken: { value: 'nonEmptyText', meaning: 'session token of temporary AWS credentials.', secret: true },
} as const satisfies OptionTable;

const ROTATION = {
  rotateBytes: {
    value: 'byteCount',
    meaning:
      'number of bytes after which a file is full and a new one is started. Default: no limit for `file`, 1 GiB for `warc`.',
  },
} as const satisfies OptionTable;

const SEARCH_ENGINE = {
  example: 'https://search.example.com:9200',
  address: 'http',
  options: SEARCH_OPTIONS,
  wantsText: true,
  wantsBytes: true,
  keeps: 'text',
  needsBytes: false,
} as const satisfies Omit<SinkTypeRow, 'label'>;

const PLACES = ['url', 'form', 'both'] as const;

/** What the published description of the Push API leaves open. */
const PAPI_NAMES = {
  deleteUriName: {
    value: 'name',
    meaning: 'name of the parameter with the URI in `delete_documents`. Default: `PAPI_uri`.',
  },
  deleteUriIn: {
    value: PLACES,
    meaning: 'where `delete_documents` has that parameter: in the URL, in the form, or in both. Default: `form`.',
  },
  checkpointIn: {
    value: PLACES,
    meaning: 'where `set_checkpoint` has its parameters: in the URL, in the form, or in both. Default: `url`.',
  },
  syncName: {
    value: 'name',
    meaning: 'name of the parameter that makes a checkpoint wait until everything is on disk. Default: `PAPI_sync`.',
  },
  stampName: {
    value: 'name',
    meaning: "name of the field with a document's content hash, after `PAPI_<number>:`. Default: `stamp`.",
  },
} as const satisfies OptionTable;

export const SINK_TYPES = {
  // A Push API server extracts the text of pages from their bytes.
  papi: {
    label: 'Push API (CloudView, or the bundled index)',
    example: 'https://push.example.com:10002',
    address: 'http',
    options: {
      ...HTTP_OPTIONS,
      connector: {
        value: 'nonEmptyText',
        meaning:
          'name of the connector. Default: a name unique to this database, `crawlway-` and six digits, which GET /sinks shows.',
        destination: true,
      },
      documentText: {
        value: ['send', 'omit'],
        meaning:
          'whether the text of documents that are not pages (PDF, Office documents and others) is sent as a second part named `text`, in addition to their bytes. `omit` is for a server that extracts the text itself. Default: `send`.',
      },
      ...PAPI_NAMES,
    },
    wantsText: false,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  json: {
    label: 'JSON over HTTP',
    example: 'https://search.example.com/orders',
    address: 'http',
    options: {
      ...HTTP_OPTIONS,
      secret: { value: 'nonEmptyText', meaning: 'key for the HMAC-SHA256 signature.', secret: true },
    },
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  elasticsearch: { ...SEARCH_ENGINE, label: 'Elasticsearch' },
  opensearch: { ...SEARCH_ENGINE, label: 'OpenSearch', options: { ...SEARCH_OPTIONS, ...AWS_OPTIONS } },
  solr: {
    ...SEARCH_ENGINE,
    label: 'Solr',
    example: 'https://search.example.com:8983/solr',
    options: {
      ...HTTP_OPTIONS,
      index: { value: 'nonEmptyText', meaning: 'name of the collection.', required: true, destination: true },
    },
    wantsBytes: false,
  },
  warc: {
    label: 'A web archive (WARC)',
    example: 'archive.warc.gz',
    address: 'file',
    options: ROTATION,
    wantsText: false,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  file: {
    label: 'A file of JSON lines',
    example: 'documents.jsonl',
    address: 'file',
    options: {
      ...ROTATION,
      compress: {
        value: ['gzip'],
        meaning: 'full files are compressed. Documents in them are not copied to other sinks.',
      },
    },
    wantsText: true,
    wantsBytes: true,
    keeps: 'bytes',
    needsBytes: true,
  },
  kafka: {
    label: 'Kafka',
    example: 'kafka://broker.example.com:9092',
    address: 'kafka',
    options: {
      ...CREDENTIALS,
      topic: { value: 'name', meaning: 'name of the topic, which must exist.', required: true, destination: true },
      mechanism: {
        value: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
        meaning: 'SASL mechanism, with `login` and `password`. Default: PLAIN.',
      },
    },
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  postgresql: {
    label: 'PostgreSQL',
    example: 'postgresql://db.example.com:5432/search',
    address: 'postgresql',
    options: {
      ...CREDENTIALS,
      table: {
        value: 'sqlTable',
        meaning: 'name of the table, or `schema.table`; created if it does not exist.',
        default: 'documents',
        destination: true,
      },
      search: {
        value: 'name',
        meaning:
          'text search configuration (`simple`, `english` …) for a generated, indexed column `search` built from title and text. If this is not set, the column is not created.',
      },
    },
    wantsText: true,
    wantsBytes: false,
    keeps: 'text',
    needsBytes: false,
  },
  plugin: {
    label: 'A plug-in of your own',
    example: 'plugin:my-sink',
    address: 'plugin',
    options: {},
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
} as const satisfies Readonly<Record<string, SinkTypeRow>>;

export type SinkType = keyof typeof SINK_TYPES;

/** Values of the attributes of a `Sink` element that not every type has. */
export type SinkOptions = { readonly [T in SinkType]: OptionValues<(typeof SINK_TYPES)[T]['options']> };

export const SINK_TYPE_NAMES = Object.keys(SINK_TYPES) as SinkType[];

export const getSinkOptions = (type: SinkType): OptionTable => SINK_TYPES[type].options;

export const listSecretOptions = (type: SinkType): string[] =>
  Object.entries(getSinkOptions(type)).flatMap(([name, { secret }]) => (secret ? [name] : []));
