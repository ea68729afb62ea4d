/** A line of a text, numbered from 1, without its line break. */
export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of a text, one at a time, so that millions of lines are never held as a list. */
export function* iterateLines(text: string): Generator<TextLine> {
  let line = 1;
  for (let start = 0; start <= text.length; line++) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { line, text: text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end) };
    start = end + 1;
  }
}

/** The number of lines in a text, counted up to the limit. */
export function countLines(text: string, limit: number): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && count < limit; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/**
 * The URLs in a mnoGoSearch URL list, each with the line on which it begins. `#` at the beginning of a line or after
 * whitespace begins a comment; a backslash at the end of a line continues it on the next one, except in a comment.
 */
export function* iterateUrlListEntries(text: string): Generator<TextLine> {
  let pieces: string[] = [];
  let begin = 0;
  for (const { line, text: written } of iterateLines(text)) {
    if (pieces.length === 0 && /^\s*#/.test(written)) continue;
    if (pieces.length === 0) begin = line;
    const comment = written.search(/\s#/);
    const content = comment < 0 ? written : written.slice(0, comment).trimEnd();
    const goesOn = comment < 0 && content.endsWith('\\');
    const piece = (content.endsWith('\\') ? content.slice(0, -1) : content).trim();
    if (piece !== '') pieces.push(piece);
    if (goesOn) continue;
    if (pieces.length > 0) yield { line: begin, text: pieces.join('') };
    pieces = [];
  }
  if (pieces.length > 0) yield { line: begin, text: pieces.join('') };
}
