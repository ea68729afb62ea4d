/**
 * The types of sinks: how each is configured and what it needs from a document. Each has one row in SINK_TYPES;
 * everything that depends on the type of a sink uses this table. The sinks themselves are in adapters/push.
 */

import type { Secret } from '../secret.js';

/** If empty or absent, no credentials are sent. */
interface HttpCredentials {
  readonly login?: string;
  readonly password?: Secret;
  readonly apiKey?: Secret;
  /** SHA-256 of the trusted certificate, in lower-case hexadecimal. */
  readonly fingerprint?: string;
}

interface SearchEngine extends HttpCredentials {
  readonly index?: string;
  /** Name of an ingest pipeline. */
  readonly pipeline?: string;
  readonly alias?: string;
  /** Settings, mappings and aliases of the index template, as JSON. */
  readonly template?: string;
  /** `host`: all documents of a host are in one shard. */
  readonly routing?: string;
  /** `external`: each write is versioned with the time at which it was decided. */
  readonly versions?: string;
}

/** The attributes of a `Sink` element that only some types read. */
export interface SinkOptions {
  /**
   * `documentText`: `omit` sends no text in addition to the bytes of a document that is not a page; default: `send`.
   */
  readonly papi: HttpCredentials & { readonly connector?: string; readonly documentText?: string };
  /** `secret`: key of the HMAC-SHA256 signature header. */
  readonly json: HttpCredentials & { readonly secret?: Secret };
  readonly elasticsearch: SearchEngine;
  readonly opensearch: SearchEngine & {
    /** Region for which requests are signed; `login` and `password` are the access key and the secret key. */
    readonly awsRegion?: string;
    readonly awsService?: string;
    readonly awsSessionToken?: Secret;
  };
  readonly solr: HttpCredentials & { readonly index?: string };
  readonly file: {
    /** Size in bytes after which a new file is started; if absent, one file grows indefinitely. */
    readonly rotateBytes?: string;
    /** `gzip`: full files are compressed. */
    readonly compress?: string;
  };
  readonly warc: { readonly rotateBytes?: string };
  readonly kafka: {
    readonly login?: string;
    readonly password?: Secret;
    readonly topic?: string;
    /** SASL mechanism: `PLAIN` (default), `SCRAM-SHA-256` or `SCRAM-SHA-512`. */
    readonly mechanism?: string;
  };
  readonly postgresql: {
    readonly login?: string;
    readonly password?: Secret;
    /** `table` or `schema.table`. */
    readonly table?: string;
    /** Text search configuration; absent if there is no search column. */
    readonly search?: string;
  };
  readonly plugin: Readonly<Record<never, never>>;
}

export type SinkType = keyof SinkOptions;

export type SinkOption = { [T in SinkType]: keyof SinkOptions[T] & string }[SinkType];

interface SinkTypeRow<T extends SinkType> {
  /** What kind of address its `url` is. */
  readonly address: 'http' | 'file' | 'postgresql' | 'kafka' | 'plugin';
  readonly options: readonly (keyof SinkOptions[T] & string)[];
  readonly required?: readonly (keyof SinkOptions[T] & string)[];
  /** Whether it reads the extracted text; text is extracted only if something needs it. */
  readonly wantsText: boolean;
  /** Whether it reads the bytes; if no sink does, documents are delivered without them. */
  readonly wantsBytes: boolean;
  /** Which part of a document the sink can return for copying to another sink. */
  readonly keeps: 'nothing' | 'text' | 'bytes';
  /** Whether a document without its bytes is useless to it. */
  readonly needsBytes: boolean;
}

const HTTP_OPTIONS = ['login', 'password', 'apiKey', 'fingerprint'] as const;
const SEARCH_OPTIONS = [...HTTP_OPTIONS, 'index', 'pipeline', 'alias', 'template', 'routing', 'versions'] as const;
const SEARCH_ENGINE = {
  address: 'http',
  options: SEARCH_OPTIONS,
  required: ['index'],
  wantsText: true,
  wantsBytes: true,
  keeps: 'text',
  needsBytes: false,
} as const;

export const SINK_TYPES: { readonly [T in SinkType]: SinkTypeRow<T> } = {
  // A Push API server extracts the text of pages from their bytes.
  papi: {
    address: 'http',
    options: [...HTTP_OPTIONS, 'connector', 'documentText'],
    wantsText: false,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  json: {
    address: 'http',
    options: [...HTTP_OPTIONS, 'secret'],
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  elasticsearch: SEARCH_ENGINE,
  opensearch: { ...SEARCH_ENGINE, options: [...SEARCH_OPTIONS, 'awsRegion', 'awsService', 'awsSessionToken'] },
  solr: { ...SEARCH_ENGINE, options: [...HTTP_OPTIONS, 'index'], wantsBytes: false },
  warc: {
    address: 'file',
    options: ['rotateBytes'],
    wantsText: false,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  file: {
    address: 'file',
    options: ['rotateBytes', 'compress'],
    wantsText: true,
    wantsBytes: true,
    keeps: 'bytes',
    needsBytes: true,
  },
  kafka: {
    address: 'kafka',
    options: ['login', 'password', 'topic', 'mechanism'],
    required: ['topic'],
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
  postgresql: {
    address: 'postgresql',
    options: ['login', 'password', 'table', 'search'],
    wantsText: true,
    wantsBytes: false,
    keeps: 'text',
    needsBytes: false,
  },
  plugin: {
    address: 'plugin',
    options: [],
    wantsText: true,
    wantsBytes: true,
    keeps: 'nothing',
    needsBytes: true,
  },
};

export const SINK_TYPE_NAMES = Object.keys(SINK_TYPES) as SinkType[];
