import type { PreviewReport } from '../../engine/engine-api.js';
import { ProblemException } from '../http/problem.js';

/** @throws ProblemException 428 without a tag, 412 with another one. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) {
    throw new ProblemException(
      'precondition-required',
      'Send If-Match with the ETag that GET /api/v1/config answered.',
    );
  }
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags.includes('*') || tags.includes(etag)) return;
  throw new ProblemException('precondition-failed', `The configuration in force is ${etag}; read it again first.`);
}

/** The change would delete many documents: how many, of which crawlers. */
export function confirmationNeeded({ crawlers, needsConfirmation }: PreviewReport): ProblemException {
  const numbers = crawlers
    .filter(({ crawler }) => needsConfirmation.includes(crawler))
    .map(({ crawler, documentsDeleted, indexed }) => ({ crawler, documentsDeleted: documentsDeleted.count, indexed }));
  const words = numbers.map((n) => `${n.documentsDeleted} of ${n.indexed} documents of ${n.crawler}`).join(', ');
  const detail = `The change would delete ${words}. Repeat with confirm=true to do it.`;
  return new ProblemException('confirmation-needed', detail, { crawlers: numbers });
}
