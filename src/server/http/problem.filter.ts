import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { redactDeep } from '../../domain/redact.js';
import { StoreUnavailable } from '../../engine/ports/frontier-store.js';
import type { Log } from '../../engine/ports/log.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { NotFound, Unacceptable } from '../../engine/support/api-errors.js';
import { LOG } from '../tokens.js';
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
    if (error instanceof SinkUnavailable)
      return createPlainProblem(503, `The sink is currently unavailable: ${error.message}. Try again.`, instance);
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
