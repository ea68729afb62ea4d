/** A sketch of a text, which is stored with each document, so that its next text can be compared without the text itself. */
import { addWords, mixHash } from './simhash.js';

/** Texts with fewer words are not guarded: two of them may have nothing in common although little has changed. */
export const MIN_GUARDED_WORDS = 20;

/**
 * Number of parts of a sketch, of 7 bits each. Two texts agree in about as many of them as the share of their word
 * sequences that they have in common; texts without anything in common agree in four once in four million times, whereas
 * the simhashes of such texts often differ in no more bits than those of related ones.
 */
export const PARTS = 8;
const PART_BITS = 7;
/** Maximum number of parts in which two texts agree that share almost nothing. */
export const MAX_DRASTIC_AGREEMENT = 3;
/** Minimum number of parts in which two texts agree that share most of their words, and in which they agree if all but a word or two. */
const MIN_COMMON_AGREEMENT = 6;
export const MIN_SAME_AGREEMENT = 7;

/** The number of words is kept as its logarithm, in steps of 4 %. */
const STEPS_PER_DOUBLING = 16;
/** Those of the longest text, in which each of 8,192 characters is a word. What is more is a text made of numbers, in larger steps. */
const MAX_STEPS = 208;
const STEPS_OF_NUMBERS = 5;
/** A text with at most this share of the words of the indexed one has lost a part of it. */
const MAX_REDUCED_SHARE = 0.9;

/**
 * Keeps the smallest hash of the word sequences of a text in each of eight classes (one permutation hashing: Li, Owen
 * and Zhang 2012). An empty class of a short text borrows from the next one (Shrivastava and Li 2014), so that two
 * texts do not agree in what neither of them has.
 */
class Sketch {
  readonly #smallest = new Uint32Array(PARTS).fill(NO_HASH);
  #secondLastWord = 0;
  #lastWord = 0;
  wordCount = 0;

  add(word: number): void {
    if (++this.wordCount >= 3) this.#addSequence(this.#secondLastWord, this.#lastWord, word);
    this.#secondLastWord = this.#lastWord;
    this.#lastWord = word;
  }

  #addSequence(first: number, second: number, third: number): void {
    const sequence = Math.imul(Math.imul(first, 0x2c1b3c6d) ^ second, 0x297a2d39) ^ third;
    const hash = mixHash(sequence) >>> 0;
    const part = hash & (PARTS - 1);
    if (hash < this.#smallest[part]!) this.#smallest[part] = hash;
  }

  toNumber(kind?: 'of numbers'): bigint {
    if (this.wordCount === 1 || this.wordCount === 2) this.#addSequence(0, this.#secondLastWord, this.#lastWord);
    const length = Math.min(MAX_STEPS, Math.round(toWordSteps(this.wordCount)));
    const steps = BigInt(kind ? MAX_STEPS + 1 + Math.round(length / STEPS_OF_NUMBERS) : length);
    return BigInt.asIntN(64, (((steps << HALF_BITS) | this.#joinHalf(0)) << HALF_BITS) | this.#joinHalf(PARTS / 2));
  }

  /** Half of the parts, which a number holds: operations on large integers take longer. */
  #joinHalf(firstPart: number): bigint {
    let bits = 0;
    for (let part = firstPart; part < firstPart + PARTS / 2; part++)
      bits = (bits << PART_BITS) | ((this.#findHash(part) >>> 3) & PART_MASK);
    return BigInt(bits);
  }

  #findHash(part: number): number {
    for (let distance = 0; distance < PARTS; distance++) {
      const hash = this.#smallest[(part + distance) & (PARTS - 1)]!;
      if (hash !== NO_HASH) return distance === 0 ? hash : mixHash(hash + distance);
    }
    return 0;
  }
}

const NO_HASH = 0xffffffff;
const PART_MASK = 2 ** PART_BITS - 1;
const HALF_BITS = BigInt((PARTS / 2) * PART_BITS);

/**
 * In characters: of a long text, this much of its beginning and of its end is read, because every page gets a sketch.
 * Pieces from the middle would move with each passage that is inserted before them, so that a page that has grown would
 * seem to be another one; and no host sends both ends of a page with another middle in place of it.
 */
const MAX_END_LENGTH = 4_096;

/** If no more than this share of the words of a document contains no digit, the others are compared as well. */
const MAX_PLAIN_SHARE = 1 / 2;
/** That of what a host answers: two answers of one error page may differ in several numbers. */
const MAX_PLAIN_SHARE_OF_ANSWER = 1 / 4;

/** What is sketched: a document, an answer that is compared with others, or figures in place of others. */
export type Sketched = 'document' | 'answer' | 'figures';

/**
 * A signed 64-bit sketch of a text, without words that contain a digit: dates, times and counters differ between two
 * answers that say the same. Of part numbers and tables of figures, little would be left without them.
 */
export function computeTextSketch(text: string, sketched: Sketched = 'document'): bigint {
  const ends = takeEnds(text);
  const plain = sketchWords(ends, 'without numbers');
  if (plain.wordCount >= MIN_GUARDED_WORDS && sketched !== 'figures') return plain.toNumber();
  const whole = sketchWords(ends);
  return hasNumbersOf(sketched, plain.wordCount, whole.wordCount) ? whole.toNumber('of numbers') : plain.toNumber();
}

const takeEnds = (text: string): string[] =>
  text.length <= 2 * MAX_END_LENGTH ? [text] : [text.slice(0, MAX_END_LENGTH), text.slice(-MAX_END_LENGTH)];

function sketchWords(texts: readonly string[], numbers?: 'without numbers'): Sketch {
  const sketch = new Sketch();
  for (const text of texts) addWords(text, sketch, numbers);
  return sketch;
}

/**
 * Whether what is kept of a text has its numbers.
 * @param plainWords how many of the words contain no digit
 */
export function hasNumbersOf(sketched: Sketched, plainWords: number, words: number): boolean {
  if (sketched === 'figures') return true;
  const maxShare = sketched === 'answer' ? MAX_PLAIN_SHARE_OF_ANSWER : MAX_PLAIN_SHARE;
  return plainWords < MIN_GUARDED_WORDS && words >= MIN_GUARDED_WORDS && plainWords <= words * maxShare;
}

/** Whether a text still speaks in numbers that was made of them: a few words more may be those of a template. */
export function speaksInNumbers(text: string): boolean {
  const ends = takeEnds(text);
  const words = sketchWords(ends).wordCount;
  return words >= MIN_GUARDED_WORDS && sketchWords(ends, 'without numbers').wordCount <= words * MAX_PLAIN_SHARE;
}

/** Number of parts, from 0 to 8, in which two sketches agree. */
export function countAgreements(a: bigint, b: bigint): number {
  let agreements = 0;
  for (let part = 0, rest = BigInt.asUintN(64, a ^ b); part < PARTS; part++, rest >>= BigInt(PART_BITS))
    if ((rest & BigInt(PART_MASK)) === 0n) agreements++;
  return agreements;
}

/** The logarithm of the number of words in a sketched text, in steps. */
function getWordSteps(sketch: bigint): number {
  const steps = readSteps(sketch);
  return steps > MAX_STEPS ? (steps - MAX_STEPS - 1) * STEPS_OF_NUMBERS : steps;
}

const readSteps = (sketch: bigint): number => Number(BigInt.asUintN(64, sketch) >> BigInt(PARTS * PART_BITS));

/** Whether it is the sketch of a text that is made of numbers, and holds them. */
export const isSketchOfNumbers = (sketch: bigint): boolean => readSteps(sketch) > MAX_STEPS;

const toWordSteps = (words: number): number => STEPS_PER_DOUBLING * Math.log2(1 + words);

/** @returns false if the sketched text has too few words for a comparison with later ones */
export const isLongEnoughToGuard = (sketch: bigint): boolean =>
  getWordSteps(sketch) >= Math.floor(toWordSteps(MIN_GUARDED_WORDS));

export const isReduced = (own: bigint, indexed: bigint): boolean =>
  getWordSteps(own) - getWordSteps(indexed) <= STEPS_PER_DOUBLING * Math.log2(MAX_REDUCED_SHARE);

/** Whether a text has so few words that it is not guarded, and at most half of those of the indexed one. */
export const hasShrunk = (own: bigint, indexed: bigint): boolean =>
  !isLongEnoughToGuard(own) && getWordSteps(indexed) - getWordSteps(own) >= STEPS_PER_DOUBLING;

/** Whether two sketches belong to the same text, but for numbers and a word or two. */
export const hasSameSketch = (a: bigint, b: bigint): boolean => countAgreements(a, b) >= MIN_SAME_AGREEMENT;

/** A text with two words of its own in each answer, such as an id of the request, is the same if it has more words. */
const MAX_SIMILAR_WORDS = 150;
/** Minimum number of parts in which two texts of the same length agree that differ in several words. */
const MIN_SIMILAR_AGREEMENT = 2;

/**
 * Whether two sketches belong to the same text or to short ones that have much in common, as two answers of one error
 * page that differ in several words.
 */
export function hasSimilarSketch(a: bigint, b: bigint): boolean {
  if (hasSameSketch(a, b)) return true;
  if (Math.max(getWordSteps(a), getWordSteps(b)) > toWordSteps(MAX_SIMILAR_WORDS)) return false;
  const hasSameLength = Math.abs(getWordSteps(a) - getWordSteps(b)) <= 1;
  return countAgreements(a, b) >= (hasSameLength ? MIN_SIMILAR_AGREEMENT : MAX_DRASTIC_AGREEMENT + 1);
}

/** Whether two sketches belong to texts with more words in common than of their own. */
export const hasMuchInCommon = (a: bigint, b: bigint): boolean => countAgreements(a, b) >= MIN_COMMON_AGREEMENT;

export const sharesAlmostNothing = (a: bigint, b: bigint): boolean => countAgreements(a, b) <= MAX_DRASTIC_AGREEMENT;
