/** What is remembered of a text, so that the change guard can compare it with others without keeping it. */
import { removeUrl } from '../fetch/error-pages.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import { computeUrlKey } from '../url/url-key.js';
import { addWords, mixHash } from './simhash.js';

/** Shorter texts are not guarded: two of them may have nothing in common although little has changed. */
const MIN_GUARDED_LENGTH = 200;
/** A text shorter than this is as good as none. */
const MAX_EMPTY_LENGTH = 20;
const MAX_EXCERPT = 300;

/**
 * Number of parts of a sketch, of 8 bits each. Two texts agree in about as many of them as the share of their word
 * sequences that they have in common; texts without anything in common agree in four once in 60 million times, whereas
 * the simhashes of such texts often differ in no more bits than those of related ones.
 */
const PARTS = 8;
/** Maximum number of parts in which two texts agree that share almost nothing. */
const MAX_DRASTIC_AGREEMENT = 3;
/** Minimum number of parts in which two texts agree that are the same but for a word or two. */
const MIN_SAME_AGREEMENT = 7;

/**
 * Keeps the smallest hash of the word sequences of a text in each of eight classes (one permutation hashing: Li, Owen
 * and Zhang 2012).
 */
class Sketch {
  readonly #smallest = new Uint32Array(PARTS).fill(0xffffffff);
  #secondLastWord = 0;
  #lastWord = 0;
  #wordCount = 0;

  add(word: number): void {
    if (++this.#wordCount >= 3) {
      const sequence = Math.imul(Math.imul(this.#secondLastWord, 0x2c1b3c6d) ^ this.#lastWord, 0x297a2d39) ^ word;
      const hash = mixHash(sequence) >>> 0;
      const part = hash & (PARTS - 1);
      if (hash < this.#smallest[part]!) this.#smallest[part] = hash;
    }
    this.#secondLastWord = this.#lastWord;
    this.#lastWord = word;
  }

  toNumber(): bigint {
    let sketch = 0n;
    for (const hash of this.#smallest) sketch = (sketch << 8n) | BigInt((hash >>> 3) & 0xff);
    return BigInt.asIntN(64, sketch);
  }
}

/** In characters: of a long text, this much of its beginning and of its end is read, because every page gets a sketch. */
const MAX_END_LENGTH = 4_096;

/**
 * A signed 64-bit sketch of a text, without words that contain a digit: dates, times and counters differ between two
 * answers that say the same.
 */
export function computeTextSketch(text: string): bigint {
  const sketch = new Sketch();
  if (text.length <= 2 * MAX_END_LENGTH) addWords(text, sketch, 'without numbers');
  else
    for (const end of [text.slice(0, MAX_END_LENGTH), text.slice(-MAX_END_LENGTH)])
      addWords(end, sketch, 'without numbers');
  return sketch.toNumber();
}

/** Number of parts, from 0 to 8, in which two sketches agree. */
export function countAgreements(a: bigint, b: bigint): number {
  let agreements = 0;
  for (let part = 0, rest = BigInt.asUintN(64, a ^ b); part < PARTS; part++, rest >>= 8n)
    if ((rest & 0xffn) === 0n) agreements++;
  return agreements;
}

/** A text that has replaced a different one, or that the host sends for a URL that cannot exist. */
export interface TextSample {
  /** Sketch of the text without the page's own URL. */
  readonly sketch: bigint;
  /** Digest of title and text, including numbers, without the page's own URL. */
  readonly digest: bigint;
  /** In characters. */
  readonly length: number;
  /** The beginning of the text. */
  readonly excerpt: string;
  /** Whether it shares almost nothing with the text that is indexed. */
  readonly isDrastic: boolean;
}

export const isLongEnoughToGuard = (text: string): boolean => text.length >= MIN_GUARDED_LENGTH;

/**
 * @param own sketch of the whole text
 * @param indexed sketch of the text that is indexed; undefined if there is none
 * @returns undefined if the text is nearly the one that is indexed
 */
export function createTextSample(
  page: { readonly title: string; readonly text: string },
  url: CrawlUrl,
  own: bigint,
  indexed: bigint | undefined,
): TextSample | undefined {
  const agreement = indexed === undefined ? 0 : countAgreements(own, indexed);
  const length = page.text.trim().length;
  if (length >= MAX_EMPTY_LENGTH && agreement >= MIN_SAME_AGREEMENT) return undefined;
  const { title, text } = removeUrl(page, url);
  return {
    sketch: computeTextSketch(text),
    digest: computeUrlKey(`${title}\n${text.replace(/\s+/g, ' ').trim()}`),
    length,
    excerpt: page.text.trim().slice(0, MAX_EXCERPT).toWellFormed(),
    isDrastic: length < MAX_EMPTY_LENGTH || agreement <= MAX_DRASTIC_AGREEMENT,
  };
}

export const isAlmostEmpty = ({ length }: TextSample): boolean => length < MAX_EMPTY_LENGTH;

/** Whether two sketches belong to the same text, but for numbers and a word or two. */
export const hasSameSketch = (a: bigint, b: bigint): boolean => countAgreements(a, b) >= MIN_SAME_AGREEMENT;

export const isSameText = (a: TextSample, b: TextSample): boolean =>
  (isAlmostEmpty(a) && isAlmostEmpty(b)) || a.digest === b.digest || hasSameSketch(a.sketch, b.sketch);
