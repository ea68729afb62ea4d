import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrderRecord } from '../../../src/adapters/push/order-record.js';
import { type Exchange, type HttpReceiver, type Reply, startReceiver } from './http-receiver.js';

export interface JsonReceiver extends HttpReceiver {
  /** Orders taken so far, in their order. */
  readonly taken: readonly OrderRecord[];
}

/** What a careful webhook does: checks the signature over the raw body, then every order; refuses URIs that hold `bad`. */
export async function startJsonReceiver(secret: string, options: { maxOrders?: number } = {}): Promise<JsonReceiver> {
  const taken: OrderRecord[] = [];
  const receiver = await startReceiver((exchange) => {
    if (!isSigned(exchange, secret)) return { status: 401, body: 'bad signature' };
    const { orders } = JSON.parse(exchange.body.toString()) as { orders: OrderRecord[] };
    if (orders.length > (options.maxOrders ?? Number.POSITIVE_INFINITY)) return { status: 413 };
    const problem = orders.map(problemOf).find((found) => found !== undefined);
    if (problem) return problem;
    taken.push(...orders);
    return { status: 202 };
  });
  return { ...receiver, taken };
}

function isSigned({ headers, body }: Exchange, secret: string): boolean {
  const timestamp = String(headers['x-crawlway-timestamp']);
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const mac = createHmac('sha256', secret)
    .update(`${timestamp}.${body.toString('latin1')}`, 'latin1')
    .digest();
  const [scheme, hex] = String(headers['x-crawlway-signature']).split('=');
  return scheme === 'sha256' && hex?.length === 64 && timingSafeEqual(mac, Buffer.from(hex, 'hex'));
}

function problemOf({ kind, id, uri, crawler, reason, decidedAt, document }: OrderRecord): Reply | undefined {
  const hasHeader =
    Number.isInteger(id) && URL.canParse(uri) && crawler && reason && !Number.isNaN(Date.parse(decidedAt));
  const hasBody = kind === 'delete' ? !document : typeof document?.master.bytes === 'string' && document.stamp !== '';
  if (!hasHeader || !hasBody) return { status: 500, body: `malformed order ${id}` };
  return uri.includes('bad') ? { status: 422, body: `cannot take ${uri}` } : undefined;
}
