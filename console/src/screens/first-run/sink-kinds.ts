/** The fields for a new sink of each type; a spec compares them with the server's own table. */
export type SinkField = 'index' | 'login' | 'password' | 'apiKey' | 'secret' | 'table' | 'topic' | 'connector';

export interface SinkKind {
  readonly label: string;
  /** Shown as an example and never used as a default, because it might be the address of someone else's index. */
  readonly example: string;
  readonly fields: readonly SinkField[];
  readonly required?: SinkField;
  /**
   * Whether the sink is reached over the network, perhaps at an address that is not public or with a certificate from a
   * private authority.
   */
  readonly isRemote: boolean;
}

const CREDENTIALS = ['login', 'password', 'apiKey'] as const;
const SEARCH_ENGINE = {
  example: 'https://search.example.com:9200',
  fields: ['index', ...CREDENTIALS],
  required: 'index',
  isRemote: true,
} as const;

export const SINK_KINDS: Readonly<Record<string, SinkKind>> = {
  papi: {
    label: 'Push API (CloudView, or the bundled index)',
    example: 'https://push.example.com:10002',
    fields: ['login', 'password', 'connector'],
    isRemote: true,
  },
  elasticsearch: { label: 'Elasticsearch', ...SEARCH_ENGINE },
  opensearch: { label: 'OpenSearch', ...SEARCH_ENGINE },
  solr: {
    label: 'Solr',
    example: 'https://search.example.com:8983/solr',
    fields: ['index', 'login', 'password'],
    required: 'index',
    isRemote: true,
  },
  postgresql: {
    label: 'PostgreSQL',
    example: 'postgresql://db.example.com:5432/search',
    fields: ['table', 'login', 'password'],
    isRemote: true,
  },
  kafka: {
    label: 'Kafka',
    example: 'kafka://broker.example.com:9092',
    fields: ['topic', 'login', 'password'],
    required: 'topic',
    isRemote: true,
  },
  json: { label: 'JSON over HTTP', example: 'https://search.example.com/orders', fields: ['secret'], isRemote: true },
  file: { label: 'A file of JSON lines', example: 'documents.jsonl', fields: [], isRemote: false },
  warc: { label: 'A web archive (WARC)', example: 'archive.warc.gz', fields: [], isRemote: false },
};

export const FIELD_LABELS: Readonly<Record<SinkField, string>> = {
  index: 'Index or collection',
  login: 'User (optional)',
  password: 'Password (optional)',
  apiKey: 'API key (instead of user and password)',
  secret: 'Signature key (optional)',
  table: 'Table (optional)',
  topic: 'Topic',
  connector: 'Connector (optional)',
};

export const SECRET_FIELDS: ReadonlySet<SinkField> = new Set(['password', 'apiKey', 'secret']);
