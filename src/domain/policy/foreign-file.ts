import type { Place, Problem } from '../crawl/place.js';

/**
 * The problem for a text that is not a rule file at all: a single error that does not quote it. The configuration may
 * have been pointed at a file that its author is not allowed to read.
 */
export const createForeignFileProblem = (
  place: Place,
  kind: string,
  lines: { readonly strange: number; readonly all: number },
): Problem => ({
  severity: 'error',
  code: 'bad-rule-file',
  message: `this does not look like a file of the kind ${kind}: ${lines.strange} of ${lines.all} lines do not begin with a command of such a file`,
  place,
});
