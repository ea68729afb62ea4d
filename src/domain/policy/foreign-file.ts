import type { Place, Problem } from '../crawl/place.js';

/**
 * Creates the single problem for a text that is not a rule file at all. Its message does not quote the text, because
 * the configuration may refer to a file that its author is not allowed to read.
 */
export const createForeignFileProblem = (
  place: Place,
  kind: string,
  lines: { readonly unrecognizedCount: number; readonly totalCount: number },
): Problem => ({
  severity: 'error',
  code: 'bad-rule-file',
  message: `this does not look like a valid ${kind} file: ${lines.unrecognizedCount} of ${lines.totalCount} lines do not begin with a known command`,
  place,
});
