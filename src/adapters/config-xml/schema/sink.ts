/** Where orders and messages about events are delivered. */
import { MAP_TYPES } from '../../../domain/push/map-steps.js';
import { SINK_TYPE_NAMES, SINK_TYPES } from '../../../domain/push/sink-types.js';
import { WEBHOOK_EVENT_TYPES } from '../../../domain/push/webhook.js';
import * as t from '../value-types.js';
import { toAttributes } from './options.js';
import { attribute, createElementFactory, mebibytesToBytes } from './spec.js';

const element = createElementFactory('cw');

export const SINK = element(
  'Sink',
  'Where orders are delivered.',
  {
    name: attribute(t.name, 'Name to use in PushTo.', { required: true }),
    type: attribute(t.enumeration(SINK_TYPE_NAMES), 'Type of the destination.', { required: true }),
    url: attribute(
      t.target,
      'Base URL of the server. `file`: path of a .jsonl, .ndjson or .json file, `warc`: path of a .warc or .warc.gz file, both below the folder for file sinks (CRAWLWAY_FILE_SINKS); `postgresql`: `postgresql://host:5432/database`, with `?sslmode=disable` if the server has no TLS; `kafka`: `kafka://host:9092`, or `kafkas://` for TLS, with several brokers separated by commas; `plugin`: `plugin:` and the name of a Plugin.',
      { required: true, variables: true },
    ),
    ...toAttributes(SINK_TYPES),
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
  { children: ['AllowAddress', 'CertificateAuthority', 'ClientCertificate', 'Map'], types: SINK_TYPES },
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
      { required: true },
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
      'Required type of the values; they are written in a uniform format: `12`, `1.5`, `true`, `2026-01-31T00:00:00.000Z`, and sinks with fields for dates and numbers have them there.',
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

export const WEBHOOK = element(
  'Webhook',
  'A receiver of signed messages about events (docs/webhooks.md), according to the Standard Webhooks specification.',
  {
    name: attribute(t.name, 'Name to show in the log.', { required: true }),
    url: attribute(t.serviceUrl, 'Address of the receiver.', { required: true, variables: true }),
    secret: attribute(t.webhookSecret, 'Signing key: `whsec_` followed by 24 to 64 bytes in Base64.', {
      required: true,
      secret: true,
    }),
    events: attribute(
      t.wordList('event', WEBHOOK_EVENT_TYPES),
      'Names of the events to send, separated by spaces. Default: all.',
    ),
    timeoutMS: attribute(t.durationMs(1), 'Maximum time to wait for a response.', { default: '15000', unit: 'ms' }),
  },
  { children: ['AllowAddress', 'CertificateAuthority', 'ClientCertificate'] },
);
