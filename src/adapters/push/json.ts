import { createHmac } from 'node:crypto';
import type { SinkDefinitionOf } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import type { Secret } from '../../domain/secret.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { asList, isRecord, parseJson } from './answers.js';
import { toOrderRecord } from './order-record.js';
import { isSuccess, SinkClient } from './sink-client.js';
import { acknowledgeAll, type RequestAnswer, sendWithSplitting } from './splitting.js';

/** Status codes for errors in the orders, not in the server. */
const REFUSALS = new Set([400, 413, 422]);

/**
 * Posts batches of orders as `{"orders": […]}` to any URL. A status of 20x means that the receiver has stored them
 * durably, except for those that its `answers` refuse. With a secret, `X-Crawlway-Signature` is `sha256=` and the hex HMAC-SHA256 of `X-Crawlway-Timestamp` (Unix
 * seconds), a dot and the body: the receiver can check that the request comes from this server and is not a replay.
 */
export class JsonSink implements Sink {
  readonly name: string;
  private readonly client: SinkClient;
  private readonly secret: Secret | undefined;

  constructor(definition: SinkDefinitionOf<'json'>) {
    this.name = definition.name;
    this.secret = definition.options.secret;
    this.client = new SinkClient(definition);
  }

  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    return sendWithSplitting(batch, (orders) => this.send(orders, signal));
  }

  /** Accepts any response except a server error: few receivers support OPTIONS, but all of them respond to it. */
  async probe(signal: AbortSignal): Promise<void> {
    const response = await this.client.request({ method: 'OPTIONS', path: '' }, signal);
    if (response.status >= 500 && response.status !== 501) throw this.client.toUnavailable(response);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    const body = Buffer.from(JSON.stringify({ orders: orders.map(toOrderRecord) }));
    const headers = { 'content-type': 'application/json', ...this.createSignatureHeaders(body) };
    const response = await this.client.request({ method: 'POST', path: '', headers, body }, signal);
    if (isSuccess(response)) {
      this.client.checkNoWebPage(response);
      return this.parseAnswers(response.body, orders);
    }
    if (!REFUSALS.has(response.status)) throw this.client.toUnavailable(response);
    return { refused: response.body.slice(0, 1_000) || `status ${response.status}` };
  }

  /** A response with `{"answers": […]}` has one for each order; any other body means that all are accepted. */
  private parseAnswers(body: string, orders: readonly PushOrder[]): OrderAnswer[] {
    const answers = findAnswers(body);
    if (answers === undefined) return acknowledgeAll(orders);
    const parsed = answers.map(parseAnswer).filter((answer) => answer !== undefined);
    if (parsed.length === orders.length && answers.length === orders.length) return parsed;
    throw new SinkUnavailable(
      `${this.client.displayName}: \`answers\` has to be a list of ${orders.length} values, each \`true\` or \`{"refused": "why"}\``,
    );
  }

  private createSignatureHeaders(body: Buffer): Record<string, string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    if (!this.secret) return { 'x-crawlway-timestamp': timestamp };
    const mac = createHmac('sha256', this.secret.reveal()).update(`${timestamp}.`).update(body).digest('hex');
    return { 'x-crawlway-timestamp': timestamp, 'x-crawlway-signature': `sha256=${mac}` };
  }
}

function findAnswers(body: string): readonly unknown[] | undefined {
  if (!/^\s*\{[\s\S]*"answers"/.test(body)) return undefined;
  try {
    const value: unknown = parseJson(body);
    return isRecord(value) && 'answers' in value ? asList(value['answers']) : undefined;
  } catch {
    return []; // it was cut off, and may have refused some
  }
}

function parseAnswer(answer: unknown): OrderAnswer | undefined {
  if (answer === true) return { state: 'acknowledged' };
  if (!isRecord(answer) || typeof answer['refused'] !== 'string') return undefined;
  return { state: 'refused', message: answer['refused'].slice(0, 1_000) || 'no reason given' };
}
