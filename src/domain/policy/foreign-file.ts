import type { Place, Problem } from '../crawl/place.js';

/**
 * The message for a text that is not a rule file at all: one error that does not quote it. The configuration may have been pointed
 * at a file that its author is not allowed to read.
 */
export const createForeignFileProblem = (
  place: Place,
  kind: string,
  lines: { readonly strange: number; readonly all: number },
): Problem => ({
  severity: 'error',
  code: 'bad-rule-file',
  message: `this does not look like a file ${kind}: ${lines.strange} of ${lines.all} lines begin with no command of such a file`,
  place,
});
