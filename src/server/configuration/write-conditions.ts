import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import type { PreviewReport } from '../../engine/views/crawler-views.js';
import { ProblemException } from '../http/problem.js';
import type { UsageError } from '../options.js';
import { toProblemErrors } from './configuration-problem.schema.js';

export interface WriteRequest {
  readonly who: string;
  /** Value of the If-Match header. Only restore accepts a request without it. */
  readonly ifMatch: string | undefined;
  /** Whether the caller has confirmed that many documents may be deleted. */
  readonly confirm: boolean;
  /** The crawlers to which the caller's role is limited. */
  readonly crawlers?: ReadonlySet<string> | undefined;
}

/** If-Match value of a caller who wants to overwrite any version. */
export const ANY_VERSION = '*';

/** @throws ProblemException 428 without a tag, 412 with a different one. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) {
    throw new ProblemException(
      'precondition-required',
      'Send If-Match with the ETag that GET /api/v1/config returned.',
    );
  }
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags.includes(ANY_VERSION) || tags.includes(etag)) return;
  throw new ProblemException('precondition-failed', `The configuration in force is ${etag}; read it again first.`);
}

export const createOvertakenProblem = (): ProblemException =>
  new ProblemException(
    'precondition-failed',
    'Another server has just put a different configuration in force; read it again first.',
  );

/** For a change that would delete many documents: says how many, and of which crawlers. */
function createConfirmationProblem({ crawlers, needsConfirmation }: PreviewReport): ProblemException {
  const deletions = crawlers
    .filter(({ crawler }) => needsConfirmation.includes(crawler))
    .map(({ crawler, documentsDeleted, indexed }) => ({ crawler, documentsDeleted: documentsDeleted.count, indexed }));
  const summary = deletions
    .map(({ crawler, documentsDeleted, indexed: total }) => `${documentsDeleted} of ${total} documents of ${crawler}`)
    .join(', ');
  const detail = `The change would delete ${summary}. Repeat with confirm=true to make it.`;
  return new ProblemException('confirmation-needed', detail, { crawlers: deletions });
}

/** @throws ProblemException 409 if the change would delete so many documents that it has to be confirmed */
export async function requireFewDeletions(preview: AsyncIterable<PreviewReport>): Promise<void> {
  let lastReport: PreviewReport | undefined;
  for await (const report of preview) lastReport = report;
  if (lastReport && lastReport.needsConfirmation.length > 0) throw createConfirmationProblem(lastReport);
}

export const createInvalidProblem = (problems: readonly Problem[]): ProblemException =>
  new ProblemException(
    'configuration-invalid',
    'Nothing was changed, because the configuration has errors; `errors` lists all problems.',
    { errors: toProblemErrors(problems) },
  );

/** For a write that would destroy an edit of the file on disk that cannot be used. */
export function createUnusableEditProblem(problems: readonly Problem[]): ProblemException {
  const [firstError] = problems.filter(({ severity }) => severity === 'error');
  const errorText = firstError ? ` ${formatPlace(firstError.place)} ${firstError.message}.` : '';
  const detail =
    `The configuration file on disk has changes that have not been applied.${errorText} Nothing was changed. Fix the file or undo the ` +
    'edit, and repeat; or send the whole configuration by PUT /api/v1/config with If-Match: *, which overwrites the edit and ' +
    'keeps it in a file whose name ends in .rejected.';
  return new ProblemException('edit-not-in-force', detail, { errors: toProblemErrors(problems) });
}

/**
 * For a configuration file or rule file that cannot be written, for example because its folder is mounted read-only or
 * the disk is full.
 */
export const createWriteProblem = ({ message }: UsageError): ProblemException =>
  new ProblemException('unacceptable', `Nothing was changed: ${message}.`);
