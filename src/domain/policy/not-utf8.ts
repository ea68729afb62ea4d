import type { Problem } from '../crawl/place.js';

/** Replaces bytes that are not UTF-8 in a text. A rule that contains it cannot match what its author meant. */
export const NOT_UTF8 = '\uFFFD';

export const NOT_UTF8_MESSAGE = 'a character is not UTF-8: save the file as UTF-8';

/** The problem with a rule file that is in another encoding, such as UTF-16; undefined if there is none. */
export function findEncodingProblem(text: string, file: string): Problem | undefined {
  const otherMark = text.startsWith(NOT_UTF8 + NOT_UTF8);
  if (!otherMark && !text.includes('\0')) return undefined;
  const message = 'the file is not UTF-8 but looks like UTF-16: save it as UTF-8';
  return { severity: 'error', code: 'bad-rule-file', message, place: { file, line: 1, column: 1 } };
}
