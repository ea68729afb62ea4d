import { ProblemException } from './problem.js';

/** Returns the text of a body that is not JSON; an empty body is a client error. */
export function requireText(body: unknown): string {
  if (typeof body === 'string' && body !== '') return body;
  throw new ProblemException('invalid-request', 'The call requires a body, but the body is empty.');
}
