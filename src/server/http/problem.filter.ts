import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { redactDeep } from '../../domain/redact.js';
import { StoreUnavailable } from '../../engine/ports/frontier-store.js';
import type { Log } from '../../engine/ports/log.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import { SinkUnavailable, SinkUnsuitable } from '../../engine/ports/sink.js';
import { NotFound, Unacceptable } from '../../engine/support/api-errors.js';
import { LOG } from '../tokens.js';
import { MAX_REQUEST_HEAD } from './limits.js';
import { createPlainProblem, PROBLEM_MEDIA_TYPE, type Problem, ProblemException, toProblemBody } from './problem.js';

/** The start of the server takes no longer than this, and a database may be available again by then. */
const RETRY_AFTER_S = 1;

/** Maximum number of characters of the address that a response repeats. */
const MAX_INSTANCE_LENGTH = 2_048;

/** Turns anything that was thrown into a problem document; details of internal errors are only logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = redactDeep(this.toProblem(error, request));
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="crawlway"');
    if (problem.status === 503) reply.header('retry-after', String(RETRY_AFTER_S));
    reply.status(problem.status).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(problem));
  }

  private toProblem(error: unknown, request: FastifyRequest): Problem {
    const instance = request.url.slice(0, MAX_INSTANCE_LENGTH);
    if (error instanceof ProblemException) return toProblemBody(error, instance);
    if (error instanceof NotFound) return toProblemBody(new ProblemException('not-found', error.message), instance);
    if (error instanceof Unacceptable)
      return toProblemBody(new ProblemException('unacceptable', error.message), instance);
    if (error instanceof StoreUnavailable) {
      this.log.warn('a call could not reach the database', { method: request.method, error: error.message });
      return createPlainProblem(
        503,
        "The database is currently unavailable; see the server's log for the reason. Try again.",
        instance,
      );
    }
    if (error instanceof SinkUnsuitable)
      return toProblemBody(new ProblemException('sink-unsuitable', error.message), instance);
    if (error instanceof SinkUnavailable)
      return createPlainProblem(
        503,
        `The sink is currently unavailable: ${error.message.replace(/\.$/, '')}. Try again.`,
        instance,
      );
    if (error instanceof WorkLost)
      return createPlainProblem(
        503,
        'The thread that was reading the page was stopped because of another page. Try again.',
        instance,
      );
    const status = findStatus(error);
    if (error instanceof HttpException || status < 500)
      return createPlainProblem(status, toMessage(error as Error), instance);
    this.log.error('a call failed', { method: request.method, path: request.routeOptions.url ?? instance, error });
    return createPlainProblem(status, 'The server failed to process the call; see its log for details.', instance);
  }
}

/** Nest says "Cannot GET /path" if there is no such call. */
const toMessage = ({ message }: Error): string =>
  /^Cannot [A-Z]+ \//.test(message)
    ? `${message.replace('Cannot', 'There is no endpoint')}; see /docs for all endpoints.`
    : message;

/** Nest's exceptions and Fastify's own errors (body too large, unknown media type, …) carry their status. */
function findStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}

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
