/** Finds the parts of a page's text that exist only with its scripts, or only without them. */

export interface TextComparison {
  /** Parts that only the rendered page has, in their order on it. */
  readonly added: readonly string[];
  /** Parts that only the page as sent has. */
  readonly lost: readonly string[];
}

const MAX_PARTS = 1_000;
/** A part without a sentence end is split at this length. */
const MAX_PART_LENGTH = 400;

export function compareTexts(sent: string, rendered: string): TextComparison {
  const [sentParts, renderedParts] = [splitParts(sent), splitParts(rendered)];
  return { added: subtractParts(renderedParts, sentParts), lost: subtractParts(sentParts, renderedParts) };
}

/** Removes from `all` one equal part for each part in `others`. */
function subtractParts(all: readonly string[], others: readonly string[]): string[] {
  const remainingCounts = new Map<string, number>();
  for (const part of others) remainingCounts.set(part, (remainingCounts.get(part) ?? 0) + 1);
  const unmatchedParts = all.filter((part) => {
    const count = remainingCounts.get(part) ?? 0;
    if (count > 0) remainingCounts.set(part, count - 1);
    return count === 0;
  });
  return unmatchedParts.slice(0, MAX_PARTS);
}

/** Splits a text into lines, and lines into sentences. */
function splitParts(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?…。！？])\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap(splitLongPart);
}

function splitLongPart(part: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < part.length; start += MAX_PART_LENGTH)
    pieces.push(part.slice(start, start + MAX_PART_LENGTH).toWellFormed());
  return pieces;
}
