import type { OpenAPIObject } from '@nestjs/swagger';
import { integer, list, listOf, one, oneOf, ownSchema, text, time } from '../http/schema.js';

const START = integer(3, 'Offset in the text, in UTF-16 units.');

const metaSchema = ownSchema('WebhookMeta', {
  name: text('department'),
  value: text('Sales'),
  type: oneOf(
    ['date', 'number'],
    'Type of the value: a date (ISO 8601, UTC) or a number. Absent: a string.',
  ).optional(),
});

const headingSchema = ownSchema('WebhookHeading', {
  level: integer(1, undefined, { minimum: 1, maximum: 6 }),
  text: text('Read this first.'),
  start: START,
  anchor: text('start', 'The fragment of the URL that leads to it, if the page has one.').optional(),
});

const chunkSchema = ownSchema('WebhookChunk', {
  id: text(
    '9b1f0c',
    'Stays the same as long as the URI, the text and the headings above it do, wherever it moves.',
  ).optional(),
  anchor: text('start', 'The fragment of the URL that leads to its section, if the page has one.').optional(),
  text: text('Read this first.'),
  path: list(text('Start'), 'The headings above the chunk, outermost first.'),
  start: START,
  end: integer(42, 'Offset after the last character.'),
});

const partSchema = ownSchema('WebhookPart', {
  bytes: text('UmVhZCB0aGlzIGZpcnN0Lg==', 'The bytes in Base64.', { format: 'byte' }),
  mimeType: text('text/html'),
  encoding: text('utf-8', 'Charset of the text.').optional(),
  fileName: text('start.html'),
});

const documentSchema = ownSchema('WebhookDocument', {
  stamp: text('5f2b0c9d', 'Digest of the content: the same stamp means the same document.'),
  metas: listOf(metaSchema, 'Names may repeat.'),
  master: one(partSchema),
  text: text('Read this first.', 'Extracted text.'),
  headings: listOf(headingSchema, 'Present with `cw:Output headings`.').optional(),
  markdown: text('# Start', 'Present with `cw:Output markdown`.').optional(),
  chunks: listOf(chunkSchema, 'Present with `cw:Output chunks`.').optional(),
});

const orderSchema = ownSchema('WebhookOrder', {
  kind: oneOf(['add', 'delete']),
  id: integer(3, 'An order that was decided later has a higher number.'),
  crawler: text('docs'),
  uri: text('https://www.example.com/docs/start.html', 'Canonical URL.'),
  reason: text('http-404', 'Why the order was decided: a reason code or error code.'),
  decidedAt: time(),
  document: one(documentSchema, 'Only for `add`.').optional(),
});

/** What a sink of type `json` receives. */
const batchSchema = ownSchema('OrderBatch', {
  orders: listOf(orderSchema, 'Orders, in the sequence in which they were decided.'),
});

const createTextParameter = (description: string, example: string) => ({
  description,
  required: false,
  schema: { type: 'string' },
  example,
});

/** The request that a sink of type `json` sends, as an OpenAPI 3.1 webhook. */
export const WEBHOOKS = {
  pushOrders: {
    post: {
      operationId: 'pushOrders',
      tags: ['Webhooks'],
      summary: 'Push orders',
      description:
        'Sent to the URL of a sink of type `json`. Any 2xx status, unless with a web page, means that all orders of the batch are durable at the receiver. ' +
        '400, 413 and 422 mean that one of the orders will never be accepted: the batch is split until it is found. ' +
        'After any other response, the batch is retried later. Repeated orders are harmless: URI and stamp identify them.',
      security: [],
      parameters: [
        {
          name: 'X-Crawlway-Timestamp',
          in: 'header',
          ...createTextParameter('Unix time in seconds; sent if a secret is configured.', '1795280798'),
        },
        {
          name: 'X-Crawlway-Signature',
          in: 'header',
          ...createTextParameter(
            '`sha256=` and the hex HMAC-SHA256 of the timestamp, a dot and the body; sent if a secret is configured.',
            'sha256=5d41…',
          ),
        },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: batchSchema.ref } },
      },
      responses: {
        200: { description: 'All orders of the batch are durable.' },
        400: { description: 'An order of the batch will never be accepted; the body says why.' },
      },
    },
  },
} as unknown as NonNullable<OpenAPIObject['webhooks']>;
