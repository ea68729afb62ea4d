import type { Place, Problem } from '../crawl/place.js';

/**
 * What is said of a text that is not a file of rules at all: one error without a word of it. The configuration may have been
 * pointed at a file that whoever wrote it is not to read.
 */
export const foreignFile = (
  place: Place,
  kind: string,
  lines: { readonly strange: number; readonly all: number },
): Problem => ({
  severity: 'error',
  code: 'bad-rule-file',
  message: `this is no ${kind}: ${lines.strange} of ${lines.all} lines begin with no command of such a file`,
  place,
});
