/**
 * Processes texts of many lines, such as URL lists and pending files, in slices, so that other calls are served in
 * between.
 */
import { setImmediate } from 'node:timers/promises';
import { PayloadTooLargeException } from '@nestjs/common';
import { countLines, type TextLine } from '../../domain/url/url-list.js';
import { MAX_LINES, MAX_URL } from './limits.js';
import { ProblemException } from './problem.js';

const SLICE_SIZE = 1_000;

/** Maximum number of rejections and problems listed in one response; further ones are only counted. */
export const MAX_LISTED = 1_000;

/** The text of a body of lines. @throws PayloadTooLargeException before any line is processed */
export function requireLines(body: unknown): string {
  const text = requireText(body);
  if (countLines(text, MAX_LINES + 1) <= MAX_LINES) return text;
  throw new PayloadTooLargeException(`The body has more than ${MAX_LINES} lines; send it in several calls.`);
}

export async function* sliceLines(lines: Iterable<TextLine>): AsyncGenerator<readonly TextLine[]> {
  let slice: TextLine[] = [];
  for (const line of lines) {
    slice.push(line);
    if (slice.length < SLICE_SIZE) continue;
    yield slice;
    slice = [];
    await setImmediate();
  }
  if (slice.length > 0) yield slice;
}

/** Why a line is invalid regardless of what it should contain; undefined if it is not. */
export function findLineFault({ text }: TextLine): string | undefined {
  if (text.length > MAX_URL + 256) return `longer than ${MAX_URL} characters`;
  return text.includes('\0') ? 'contains a NUL character' : undefined;
}

/** Returns the text of a body that is not JSON; an empty body is a client error. */
export function requireText(body: unknown): string {
  if (typeof body === 'string' && body !== '') return body;
  throw new ProblemException('invalid-request', 'The call requires a body, but the body is empty.');
}
