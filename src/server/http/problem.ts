/** RFC 9457 problem details: the format of every error that the API returns. */
import { STATUS_CODES } from 'node:http';
import { COLUMN, explanationSchema, LINE } from '../urls/explanation.schema.js';
import { type Answer, integer, listOf, one, oneOf, ownSchema, text } from './schema.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** One detail of a problem: a field of the body, a query parameter, or a place in a configuration. */
const problemErrorSchema = ownSchema('ProblemError', {
  detail: text('url is missing', 'What is wrong and how to correct it.'),
  pointer: text('/url', 'JSON pointer into the body, or `?name` of a query parameter.').optional(),
  code: text('unknown-element', 'Stable code of a configuration problem.').optional(),
  severity: oneOf(['error', 'warning']).optional(),
  file: text('CrawlConfig.xml', 'Configuration file.').optional(),
  line: LINE.optional(),
  column: COLUMN.optional(),
});

export type ProblemError = Answer<typeof problemErrorSchema>;

const deletionsSchema = ownSchema('Deletions', {
  crawler: text('docs'),
  documentsDeleted: integer(3, 'Documents that would be removed from the index.'),
  indexed: integer(42, 'Documents currently in the index.'),
});

export const problemSchema = ownSchema('Problem', {
  type: text('about:blank', '`about:blank`, or a URN that names the kind of problem.'),
  title: text('Not Found', 'The kind of problem in words.'),
  status: integer(404, 'HTTP status.', { minimum: 400, maximum: 599 }),
  detail: text('There is no crawler with that name.', 'What is wrong in this case and how to correct it.'),
  instance: text('/api/v1/crawlers/docs', 'Path of the call; empty if it could not be read.'),
  errors: listOf(problemErrorSchema, 'All problems found, not just the first.').optional(),
  explanation: one(explanationSchema, 'Why the crawl policy rejects a root.').optional(),
  count: integer(3, 'Number of URLs that would be cleared.').optional(),
  crawlers: listOf(deletionsSchema, 'Crawlers that would lose many documents.').optional(),
});

export type Problem = Answer<typeof problemSchema>;

/** Kinds of problem to which a client can react more specifically than to an HTTP status. */
const PROBLEM_TYPES = {
  'invalid-request': { status: 400, title: 'The request is malformed' },
  'configuration-invalid': { status: 422, title: 'The configuration has errors' },
  'confirmation-needed': { status: 409, title: 'The change requires confirmation' },
  'sink-unsuitable': { status: 409, title: 'What the sink writes to is not as it has to be' },
  'secret-in-use': { status: 409, title: 'The secret is in use' },
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

export const toProblemBody = (error: ProblemException, instance: string): Problem => ({
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
