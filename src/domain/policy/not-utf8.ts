import type { Problem } from '../crawl/place.js';

/** Stands in a text for bytes that are not UTF-8. A rule that contains it cannot match what its author meant. */
export const NOT_UTF8 = '\uFFFD';

export const NOT_UTF8_MESSAGE = 'a character is not UTF-8: save the file as UTF-8';

/** What is wrong with a whole rule file in another encoding, such as UTF-16; undefined if nothing is. */
export function findEncodingProblem(text: string, file: string): Problem | undefined {
  const otherMark = text.startsWith(NOT_UTF8 + NOT_UTF8);
  if (!otherMark && !text.includes('\0')) return undefined;
  const message = 'the file is not UTF-8 but looks like UTF-16: save it as UTF-8';
  return { severity: 'error', code: 'bad-rule-file', message, place: { file, line: 1, column: 1 } };
}
