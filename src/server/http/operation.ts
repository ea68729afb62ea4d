/**
 * One declaration per call: who may make it, which bodies it accepts, and its API description. The guards read the same
 * values that the description shows, so the two cannot differ.
 */
import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import type { Role } from '../security/api-keys.js';
import { type CrawlerScope, describeScope } from '../security/crawler-scope.js';
import { createPlainProblem, PROBLEM_MEDIA_TYPE, problemSchema } from './problem.js';

export const ROLE_KEY = 'crawlway:role';
export const CRAWLERS_KEY = 'crawlway:crawlers';
export const CONSUMES_KEY = 'crawlway:consumes';
export const OPERATION_KEY = 'crawlway:operation';
export const WRITES_KEY = 'crawlway:writes';
export const SEARCHES_KEY = 'crawlway:searches';

export const JSON_TYPE = 'application/json';
export const XML_TYPE = 'application/xml';
export const TEXT_TYPE = 'text/plain';
export const NDJSON_TYPE = 'application/x-ndjson';

export interface OperationOptions {
  /** Name of the call in generated clients and in the audit log. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** `open`: never requires a key. */
  readonly role: Role | 'open';
  /**
   * What callers see and change whose role is limited to crawlers. Absent: the crawler in the path; if there is none,
   * they may not make the call.
   */
  readonly crawlers?: CrawlerScope;
  /** False for a POST that changes nothing or needs no key; the audit log records these once a minute. */
  readonly writes?: false;
  /** True if the call searches the stored URLs; only a few such calls run at the same time for each key. */
  readonly searches?: true;
  /** Media types of the body. Absent: JSON. */
  readonly consumes?: readonly string[];
  /** Problems of this call, in addition to those that any call can return. */
  readonly problems?: Readonly<Record<number, string>>;
}

/** Problems that any call can return. */
export const COMMON_PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request is malformed; `errors` names each field.',
  429: 'Too many calls in a short time; `Retry-After` says when to try again.',
  431: 'The address and the headers are too long.',
  500: 'The server failed; see its log for details.',
};

/**
 * Problems of every call that is not open. Health probes need no key and have their own response for a server that is
 * not ready.
 */
export const CLOSED_PROBLEMS: Readonly<Record<number, string>> = {
  401: 'The API key is missing or unknown.',
  403: 'The role of the key does not allow the call, or is limited to other crawlers.',
  503:
    'The server is starting, or the database is currently unavailable: it is locked by another program, full, or unreachable. ' +
    '`Retry-After` says when to try again.',
};

/** The problem of calls that name a crawler. */
export const UNKNOWN_CRAWLER = { 404: 'There is no crawler with that name.' } as const;

/** Problems of every call that takes a body. */
export const BODY_PROBLEMS: Readonly<Record<number, string>> = {
  413: 'The body is too long.',
  415: 'The call does not accept the media type of the body.',
};

/** Describes the response for a problem. */
export const describeProblem = (status: number, description: string) => ({
  description,
  content: {
    [PROBLEM_MEDIA_TYPE]: {
      schema: problemSchema.ref,
      example: createPlainProblem(status, description, '/api/v1/crawlers/docs'),
    },
  },
});

export function Operation(options: OperationOptions): MethodDecorator {
  const problems = {
    ...COMMON_PROBLEMS,
    ...(options.role === 'open' ? {} : CLOSED_PROBLEMS),
    ...options.problems,
  };
  return applyDecorators(
    HttpCode(200),
    SetMetadata(ROLE_KEY, options.role),
    SetMetadata(CRAWLERS_KEY, options.crawlers),
    SetMetadata(CONSUMES_KEY, options.consumes ?? [JSON_TYPE]),
    SetMetadata(OPERATION_KEY, options.id),
    SetMetadata(WRITES_KEY, options.writes ?? true),
    SetMetadata(SEARCHES_KEY, options.searches ?? false),
    ApiOperation({
      operationId: options.id,
      summary: options.summary,
      description:
        options.role === 'open'
          ? options.description
          : `${options.description}\n\nRole: ${options.role}.${describeScope(options.crawlers)}`,
    }),
    ...(options.consumes ? [ApiConsumes(...options.consumes)] : []),
    ...(options.role === 'open' ? [] : [ApiSecurity('bearer'), ApiSecurity('apiKey')]),
    ...Object.entries(problems).map(([status, description]) =>
      ApiResponse({ status: Number(status), ...describeProblem(Number(status), description) }),
    ),
  );
}
