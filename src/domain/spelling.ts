/** Finds the probable correct spelling of an unknown name. */

/**
 * Computes the minimum number of insertions, deletions, replacements and swaps of adjacent letters that turn one word
 * into the other.
 */
export function computeEditDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replacementCost = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replacementCost, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, (beforePrevious[j - 2] as number) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

/** Maximum length of a word to compare; longer ones are not misspelled names and would be expensive to compare. */
const MAX_WORD_LENGTH = 64;

/** Finds the candidate that was probably meant: ignoring case, one letter or up to a third of them may differ. */
export function findLikelySpelling(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const maxDistance = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(word.length - name.length) > maxDistance) continue;
    const distance = computeEditDistance(word.toLowerCase(), name.toLowerCase());
    if (distance > maxDistance) continue;
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best?.name;
}

/** Returns a suggestion such as `: did you mean Length?`, or an empty string. */
export function suggestSpelling(word: string, candidates: readonly string[]): string {
  const likelyName = findLikelySpelling(word, candidates);
  return likelyName === undefined ? '' : `: did you mean ${likelyName}?`;
}
