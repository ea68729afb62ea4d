import type { OpenAPIObject } from '@nestjs/swagger';
import { OrderBatchDto } from './order-webhook.dto.js';

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
        'Sent to the URL of a sink of type `json`. Any 2xx status means that all orders of the batch are durable at the receiver. ' +
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
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${OrderBatchDto.name}` } } },
      },
      responses: {
        200: { description: 'All orders of the batch are durable.' },
        400: { description: 'An order of the batch will never be accepted; the body says why.' },
      },
    },
  },
} as unknown as NonNullable<OpenAPIObject['webhooks']>;
