/** RFC 9457 problem details: the format of every error that the API returns. */
import { STATUS_CODES } from 'node:http';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** One detail of a problem: a field of the body, a query parameter, or a place in a configuration. */
export interface ProblemError {
  readonly detail: string;
  /** JSON pointer into the body (`/roots/0/url`) or `?name` of a query parameter. */
  readonly pointer?: string;
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly ProblemError[];
}

/** Kinds of problem to which a client can react more specifically than to an HTTP status. */
export const PROBLEM_TYPES = {
  'invalid-request': { status: 400, title: 'The request is malformed' },
  'configuration-invalid': { status: 422, title: 'The configuration has errors' },
  'confirmation-needed': { status: 409, title: 'The change requires confirmation' },
  'edit-not-in-force': { status: 409, title: 'The configuration file has an edit that is not in force' },
  'precondition-required': { status: 428, title: 'If-Match is missing' },
  'precondition-failed': { status: 412, title: 'The configuration has changed since it was read' },
  'rejected-by-policy': { status: 422, title: 'The crawl policy rejects the URL' },
  unacceptable: { status: 422, title: 'The request cannot be carried out as sent' },
  'not-found': { status: 404, title: 'Not found' },
} as const;

export type ProblemType = keyof typeof PROBLEM_TYPES;

/** Thrown by controllers and services; the filter turns it into a response. */
export class ProblemException extends Error {
  override readonly name = 'ProblemException';
  readonly status: number;

  constructor(
    readonly kind: ProblemType,
    readonly detail: string,
    /** Additional members, such as `errors` or the counts of a preview. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.status = PROBLEM_TYPES[kind].status;
  }
}

export const toProblemBody = (error: ProblemException, instance: string): Problem & Record<string, unknown> => ({
  type: `urn:crawlway:problem:${error.kind}`,
  title: PROBLEM_TYPES[error.kind].title,
  status: error.status,
  detail: error.detail,
  instance,
  ...error.members,
});

/** A problem without a specific type, titled by its HTTP status. */
export const createPlainProblem = (status: number, detail: string, instance: string): Problem => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail,
  instance,
});
