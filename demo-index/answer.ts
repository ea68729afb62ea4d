import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The response to a request. A body in several pieces is written as they are produced. */
export interface ResponseData {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Iterable<string>;
}

const TEXT = 'text/plain; charset=utf-8';

export const NO_CONTENT: ResponseData = { status: 204 };
export const createTextResponse = (body: string | Iterable<string>, status = 200): ResponseData => ({
  status,
  type: TEXT,
  body,
});
export const createHtmlResponse = (body: string): ResponseData => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body,
});
export const createCssResponse = (body: string): ResponseData => ({
  status: 200,
  type: 'text/css; charset=utf-8',
  body,
});
export const createXmlResponse = (body: string, status: number): ResponseData => ({
  status,
  type: 'application/xml; charset=utf-8',
  body,
});
export const createJsonResponse = (value: unknown): ResponseData => ({
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

export async function sendResponse(response: ServerResponse, { status, type, body }: ResponseData): Promise<void> {
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
