/** Which parts of its text a page has only with scripts, or only without them. */

export interface TextComparison {
  /** Parts that only the rendered page has, in their order on it. */
  readonly added: readonly string[];
  /** Parts that only the page as sent has. */
  readonly lost: readonly string[];
}

const MOST_PARTS = 1_000;
/** A part in which no sentence ends is cut at this length. */
const LONGEST_PART = 400;

export function compareTexts(sent: string, rendered: string): TextComparison {
  const [sentParts, renderedParts] = [splitParts(sent), splitParts(rendered)];
  return { added: subtractParts(renderedParts, sentParts), lost: subtractParts(sentParts, renderedParts) };
}

/** Removes from `all` one equal part for each part in `others`. */
function subtractParts(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const part of others) left.set(part, (left.get(part) ?? 0) + 1);
  const kept = all.filter((part) => {
    const count = left.get(part) ?? 0;
    if (count > 0) left.set(part, count - 1);
    return count === 0;
  });
  return kept.slice(0, MOST_PARTS);
}

/** Splits a text into lines, and lines into sentences. */
function splitParts(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?…。！？])\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap(splitPart);
}

function splitPart(part: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < part.length; at += LONGEST_PART) pieces.push(part.slice(at, at + LONGEST_PART).toWellFormed());
  return pieces;
}
