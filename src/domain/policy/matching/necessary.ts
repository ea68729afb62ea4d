/**
 * What every match of a rule must contain: at least one text of each set. Without sets, nothing is known, and any text
 * may match.
 */
export type Necessary = readonly (readonly string[])[];

export const UNKNOWN: Necessary = [];

/** A literal that every match contains. */
export const requireText = (text: string): Necessary => (text === '' ? UNKNOWN : [[text]]);

/** For a rule of which all parts must match. */
export const requireAll = (parts: readonly Necessary[]): Necessary => parts.flat();

/** For a rule of which one part must match; known only if something is known about each part. */
export const requireOneOf = (parts: readonly Necessary[]): Necessary =>
  parts.length > 0 && parts.every((part) => part.length > 0) ? [parts.flatMap(getLongestTexts)] : UNKNOWN;

const getShortestLength = (texts: readonly string[]): number => Math.min(...texts.map((text) => text.length));

const getLongestTexts = (necessary: Necessary): readonly string[] =>
  necessary.reduce((best, texts) => (getShortestLength(texts) > getShortestLength(best) ? texts : best));

export const mapTexts = (necessary: Necessary, change: (text: string) => string): Necessary =>
  necessary.map((texts) => texts.map(change));

/**
 * The texts in lower case, as the index looks for them, and without encoded non-ASCII characters: the index sees the
 * letters that they represent, and a text may end in the middle of one.
 */
export const toIndexForm = (necessary: Necessary): Necessary =>
  mapTexts(necessary, (text) =>
    text
      .split(/(?:%[89a-f][0-9a-f])+/i)
      .reduce((best, piece) => (piece.length > best.length ? piece : best))
      .replace(/%[0-9a-f]?$/i, '')
      .toLowerCase(),
  );
