import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The response to a request. A body in several pieces is written as they are produced. */
export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Iterable<string>;
}

const TEXT = 'text/plain; charset=utf-8';

export const NO_CONTENT: Answer = { status: 204 };
export const text = (body: string | Iterable<string>, status = 200): Answer => ({ status, type: TEXT, body });
export const html = (body: string): Answer => ({ status: 200, type: 'text/html; charset=utf-8', body });
export const css = (body: string): Answer => ({ status: 200, type: 'text/css; charset=utf-8', body });
export const xml = (body: string, status: number): Answer => ({ status, type: 'application/xml; charset=utf-8', body });
export const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export async function sendResponse(response: ServerResponse, { status, type, body }: Answer): Promise<void> {
  const headers = { ...SAFE_HEADERS, ...(type && { 'content-type': type }) };
  if (body === undefined) {
    response.writeHead(status, headers).end();
  } else if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  } else {
    response.writeHead(status, headers);
    await pipeline(Readable.from(body), response);
  }
}
