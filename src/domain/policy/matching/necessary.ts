/**
 * What every match of a rule must contain: at least one text of each set. Without sets, nothing is known, and any text
 * may match.
 */
export type RequiredTexts = readonly (readonly string[])[];

export const NO_REQUIRED_TEXTS: RequiredTexts = [];

/** A literal that every match contains. */
export const requireText = (text: string): RequiredTexts => (text === '' ? NO_REQUIRED_TEXTS : [[text]]);

/** For a rule all parts of which must match. */
export const requireAll = (parts: readonly RequiredTexts[]): RequiredTexts => parts.flat();

/** For a rule at least one part of which must match; nothing is known unless something is known about each part. */
export const requireOneOf = (parts: readonly RequiredTexts[]): RequiredTexts =>
  parts.length > 0 && parts.every((part) => part.length > 0) ? [parts.flatMap(getLongestTexts)] : NO_REQUIRED_TEXTS;

const getShortestLength = (texts: readonly string[]): number => Math.min(...texts.map((text) => text.length));

const getLongestTexts = (requiredTexts: RequiredTexts): readonly string[] =>
  requiredTexts.reduce((best, texts) => (getShortestLength(texts) > getShortestLength(best) ? texts : best));

export const mapTexts = (requiredTexts: RequiredTexts, transform: (text: string) => string): RequiredTexts =>
  requiredTexts.map((texts) => texts.map(transform));

/**
 * Converts the texts to the form of the index: in lower case, and without encoded non-ASCII characters, because the
 * index contains the letters that they represent, and a text may end in the middle of one.
 */
export const toIndexForm = (requiredTexts: RequiredTexts): RequiredTexts =>
  mapTexts(requiredTexts, (text) =>
    text
      .split(/(?:%[89a-f][0-9a-f])+/i)
      .reduce((best, part) => (part.length > best.length ? part : best))
      .replace(/%[0-9a-f]?$/i, '')
      .toLowerCase(),
  );
