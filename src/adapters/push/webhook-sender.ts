import { createHmac } from 'node:crypto';
import type { SinkDefinitionOf, WebhookDefinition } from '../../domain/crawl/sink-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import { isSuccess, SinkClient } from './sink-client.js';

/**
 * A message as defined by the Standard Webhooks specification. It keeps its id and body when it is sent again.
 */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** Posts messages signed with HMAC-SHA256, as the Standard Webhooks specification requires. */
export class WebhookSender {
  private readonly client: SinkClient;

  constructor(private readonly definition: WebhookDefinition) {
    this.client = new SinkClient(toSinkDefinition(definition));
  }

  /** @throws Error if the receiver does not accept the message; the error contains no secrets */
  async send({ id, body }: WebhookMessage, signal: AbortSignal): Promise<void> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${this.computeSignature(`${id}.${timestamp}.${body}`)}`,
    };
    const response = await this.client.request({ method: 'POST', path: '', headers, body }, signal);
    if (!isSuccess(response)) throw new Error(`status ${response.status}`);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private computeSignature(signedContent: string): string {
    const key = Buffer.from(this.definition.secret.reveal().replace(/^whsec_/, ''), 'base64');
    return createHmac('sha256', key).update(signedContent).digest('base64');
  }
}

const toSinkDefinition = ({
  name,
  url,
  place,
  timeout,
  allowedAddresses,
  tls,
}: WebhookDefinition): SinkDefinitionOf<'json'> => ({
  type: 'json',
  name,
  url,
  place,
  timeout,
  allowedAddresses,
  ...(tls ? { tls } : {}),
  batchDocuments: 1,
  batchBytes: 1,
  batchAge: milliseconds(0),
  concurrency: 1,
  options: {},
});
