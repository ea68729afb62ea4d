/** Handles requests that fail before any hook or filter runs, so that they get a problem document, too. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_REQUEST_HEAD } from './limits.js';
import { createPlainProblem, PROBLEM_MEDIA_TYPE } from './problem.js';

/** Responds to an address that the router cannot decode. */
export function respondToMalformedUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = error.statusCode ?? 400;
  const problem = createPlainProblem(status, error.message, request.url);
  reply
    .status(status)
    .type(PROBLEM_MEDIA_TYPE)
    .header('x-content-type-options', 'nosniff')
    .send(JSON.stringify(problem));
}

/** Responds directly on the socket to data that could not be parsed as a request; the problem names no path. */
export function respondToMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  // The first error has already been responded to; anything that follows it is unreadable, too.
  if (!socket.writable) return;
  const [status, detail] = PARSE_ERROR_RESPONSES[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  const body = JSON.stringify(createPlainProblem(status, detail, ''));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // If the socket were closed at once while the caller is still sending, the connection would be reset and the response
  // lost.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

const PARSE_ERROR_RESPONSES: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `The address and the headers have more than ${MAX_REQUEST_HEAD} bytes in total.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};
