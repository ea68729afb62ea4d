import type { Place, Problem } from '../crawl/place.js';

/** Replacement for bytes that are not UTF-8. A rule that contains it cannot match what its author meant. */
export const REPLACEMENT_CHARACTER = '\uFFFD';

export const NOT_UTF8_MESSAGE = 'a character is not UTF-8: save the file as UTF-8';

/** Returns a problem if a rule file has a different encoding, such as UTF-16. */
export function findEncodingProblem(text: string, file: string): Problem | undefined {
  const hasUtf16Mark = text.startsWith(REPLACEMENT_CHARACTER + REPLACEMENT_CHARACTER);
  if (!hasUtf16Mark && !text.includes('\0')) return undefined;
  const message = 'the file is not UTF-8 but looks like UTF-16: save it as UTF-8';
  return { severity: 'error', code: 'bad-rule-file', message, place: { file, line: 1, column: 1 } };
}

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
