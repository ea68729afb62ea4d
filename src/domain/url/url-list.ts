/** A line of a text, numbered from 1, without its line break. */
export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** Iterates over the lines of a text, so that millions of lines are never held as a list. */
export function* iterateLines(text: string): Generator<TextLine> {
  let line = 1;
  for (let start = 0; start <= text.length; line++) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak < 0 ? text.length : lineBreak;
    yield { line, text: text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end) };
    start = end + 1;
  }
}

/** Counts the lines in a text, up to the limit. */
export function countLines(text: string, limit: number): number {
  let count = 1;
  for (
    let lineBreak = text.indexOf('\n');
    lineBreak >= 0 && count < limit;
    lineBreak = text.indexOf('\n', lineBreak + 1)
  )
    count++;
  return count;
}

/**
 * Iterates over the URLs in a mnoGoSearch URL list, each with the line on which it begins. `#` at the beginning of a
 * line or after whitespace begins a comment; a backslash at the end of a line continues it on the next one, except in a
 * comment.
 */
export function* iterateUrlListEntries(text: string): Generator<TextLine> {
  let pieces: string[] = [];
  let startLine = 0;
  for (const { line, text: lineText } of iterateLines(text)) {
    if (pieces.length === 0 && /^\s*#/.test(lineText)) continue;
    if (pieces.length === 0) startLine = line;
    const commentStart = lineText.search(/\s#/);
    const content = commentStart < 0 ? lineText : lineText.slice(0, commentStart).trimEnd();
    const isContinued = commentStart < 0 && content.endsWith('\\');
    const piece = (content.endsWith('\\') ? content.slice(0, -1) : content).trim();
    if (piece !== '') pieces.push(piece);
    if (isContinued) continue;
    if (pieces.length > 0) yield { line: startLine, text: pieces.join('') };
    pieces = [];
  }
  if (pieces.length > 0) yield { line: startLine, text: pieces.join('') };
}
