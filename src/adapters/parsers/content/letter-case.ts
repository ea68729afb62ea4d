/** An ASCII word whose case does not matter, as bytes. */
export interface CaseVariants {
  readonly lower: Buffer;
  readonly upper: Buffer;
}

export const toCaseVariants = (word: string): CaseVariants => ({
  lower: Buffer.from(word.toLowerCase()),
  upper: Buffer.from(word.toUpperCase()),
});

/**
 * Returns the position of the word, or -1. Only the spellings in lower case and in upper case are found, because two
 * searches for bytes cost far less than one that ignores case.
 */
export function findCaseVariant(utf8: Buffer, { lower, upper }: CaseVariants, from = 0): number {
  const lowerIndex = utf8.indexOf(lower, from);
  const upperIndex = utf8.indexOf(upper, from);
  return lowerIndex < 0 || (upperIndex >= 0 && upperIndex < lowerIndex) ? upperIndex : lowerIndex;
}
