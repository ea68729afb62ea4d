/** Finds the probable correct spelling of an unknown name. */

/**
 * Minimum number of insertions, deletions, replacements and swaps of neighbouring letters that turn one word into the
 * other.
 */
export function computeEditDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replace, (previous[j] as number) + 1, (current[j - 1] as number) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (before[j - 2] as number) + 1);
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] as number;
}

/** Maximum length of a compared name; longer ones are not typing errors and would be expensive to compare. */
const LONGEST = 64;

/** The candidate that was probably meant: ignoring case, at most a third of its letters differ. */
export function findLikelySpelling(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const most = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(word.length - name.length) > most) continue;
    const distance = computeEditDistance(word.toLowerCase(), name.toLowerCase());
    if (distance > most) continue;
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best?.name;
}

/** Returns a suggestion such as `: did you mean Length?`, or an empty string. */
export function suggestSpelling(word: string, candidates: readonly string[]): string {
  const likely = findLikelySpelling(word, candidates);
  return likely === undefined ? '' : `: did you mean ${likely}?`;
}
