import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but a string is sent as JSON. */
  readonly body?: unknown;
}

export interface HttpReceiver {
  readonly url: string;
  /** Every request so far, in the order of arrival. */
  readonly exchanges: readonly Exchange[];
  /** The next request is answered with this instead. */
  answerNext(reply: Reply): void;
  close(): Promise<void>;
}

/** A real HTTP server for the running test. An answer that throws is a 500 with the error's message. */
export async function startReceiver(answer: (exchange: Exchange) => Reply | Promise<Reply>): Promise<HttpReceiver> {
  const exchanges: Exchange[] = [];
  const instead: Reply[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://receiver');
    const exchange = {
      method: request.method ?? '',
      path,
      query,
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    exchanges.push(exchange);
    const { status, headers, body } = instead.shift() ?? (await attempt(answer, exchange));
    response
      .writeHead(status, headers)
      .end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, exchanges, answerNext: (reply) => void instead.push(reply), close };
}

async function attempt(answer: (exchange: Exchange) => Reply | Promise<Reply>, exchange: Exchange): Promise<Reply> {
  try {
    return await answer(exchange);
  } catch (error) {
    return { status: 500, body: (error as Error).message };
  }
}
