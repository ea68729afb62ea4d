import { ProblemException } from './problem.js';

/** The text of a body that is not JSON; an empty one is an error of the client. */
export function requireText(body: unknown): string {
  if (typeof body === 'string' && body !== '') return body;
  throw new ProblemException('invalid-request', 'The call requires a body, and it is empty.');
}
