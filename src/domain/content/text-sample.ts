/** What is remembered of a text, so that the change guard can compare it with others without keeping it. */
import { namesOutage, removeUrl, showsTrace } from '../fetch/error-pages.js';
import type { CrawlUrl } from '../url/crawl-url.js';
import { computeUrlKey } from '../url/url-key.js';
import { addWords, mixHash } from './simhash.js';
import {
  computeTextSketch,
  countAgreements,
  hasNumbersOf,
  hasSameSketch,
  isReduced,
  isSketchOfNumbers,
  MAX_DRASTIC_AGREEMENT,
  MIN_SAME_AGREEMENT,
  PARTS,
  type Sketched,
  speaksInNumbers,
} from './text-sketch.js';

/** In characters: a text shorter than this is as good as none. */
const MAX_EMPTY_LENGTH = 20;
const MAX_EXCERPT = 300;

/** A text that has replaced a different one, or that the host sends for a URL that cannot exist. */
export interface TextSample {
  /** Sketch of the text without the page's own URL. */
  readonly sketch: bigint;
  /** Digest of the text, including numbers, without the page's own URL. */
  readonly digest: bigint;
  /** In characters. */
  readonly length: number;
  /** Hashes of its pairs of successive words, sorted, of the words that its sketch is made of; absent for a long text. */
  readonly pairs?: Uint16Array;
  /** The beginning of the text. */
  readonly excerpt: string;
  /** Whether it shares almost nothing with the text that is indexed. */
  readonly isDrastic: boolean;
  /** Whether figures have taken the place of figures, which may differ at each visit; its sketch and pairs have them. */
  readonly hasNewFigures: boolean;
  /** Whether it is shorter than the text that is indexed: the rest may be what all pages of the site have. */
  readonly isReduced: boolean;
  /** Whether it has words with which servers say that they cannot show a page, or is new and shows where a program failed. */
  readonly namesOutage: boolean;
}

/** Whether the text is not believed before the host was asked. */
export const isSuspicious = ({ isDrastic, isReduced, namesOutage }: TextSample): boolean =>
  isDrastic || isReduced || namesOutage;

/**
 * @param own sketch of the whole text
 * @param indexed sketch of the text that is indexed; undefined if there is none
 * @returns undefined if the text is nearly the one that is indexed, and no shorter
 */
export function createTextSample(
  page: { readonly title: string; readonly text: string },
  url: CrawlUrl,
  own: bigint,
  indexed: bigint | undefined,
): TextSample | undefined {
  const isOfFigures = indexed !== undefined && isSketchOfNumbers(indexed) && speaksInNumbers(page.text);
  const compared = isOfFigures ? computeTextSketch(page.text, 'figures') : own;
  const agreement = indexed === undefined ? 0 : countAgreements(compared, indexed);
  const length = page.text.trim().length;
  const isShorter = indexed !== undefined && isReduced(compared, indexed);
  if (length >= MAX_EMPTY_LENGTH && agreement >= MIN_SAME_AGREEMENT && !isShorter) return undefined;
  const { text } = removeUrl(page, url);
  const isDrastic = length < MAX_EMPTY_LENGTH || agreement <= MAX_DRASTIC_AGREEMENT;
  const isOutage = namesOutage(page) || (isDrastic && showsTrace(page.text));
  const hasNewFigures = isOfFigures && !isOutage;
  const sketched = hasNewFigures ? 'figures' : 'answer';
  return {
    sketch: computeTextSketch(text, sketched),
    digest: computeUrlKey(text.replace(/\s+/g, ' ').trim()),
    length,
    pairs: hashPairs(text, sketched),
    excerpt: page.text.trim().slice(0, MAX_EXCERPT).toWellFormed(),
    isDrastic,
    hasNewFigures,
    isReduced: isShorter,
    namesOutage: isOutage,
  };
}

export const isAlmostEmpty = ({ length }: TextSample): boolean => length < MAX_EMPTY_LENGTH;

/** In words and in characters: longer texts are not compared pair by pair. */
const MAX_COMPARED_WORDS = 400;
const MAX_COMPARED_LENGTH = 5_000;
/** Number of pairs in which an answer of an error page differs from others at most: six words, such as ids of a request. */
const MAX_OWN_PAIRS = 12;

function hashPairs(text: string, sketched: Sketched): Uint16Array | undefined {
  if (text.length > MAX_COMPARED_LENGTH) return undefined;
  const collect = (numbers?: 'without numbers'): number[] => {
    const pairs: number[] = [];
    let last = 0;
    const add = (word: number): void => {
      pairs.push(mixHash(Math.imul(last, 0x2c1b3c6d) ^ word) & 0xffff);
      last = word;
    };
    addWords(text, { add }, numbers);
    return pairs;
  };
  const plain = collect('without numbers');
  const whole = collect();
  const pairs = hasNumbersOf(sketched, plain.length, whole.length) ? whole : plain;
  return pairs.length > MAX_COMPARED_WORDS ? undefined : Uint16Array.from(pairs).sort();
}

/** Whether two texts consist of the same words but for a few, as two answers of one error page. */
export function hasSimilarWords({ pairs: a }: TextSample, { pairs: b }: TextSample): boolean {
  if (!a || !b || Math.abs(a.length - b.length) > MAX_OWN_PAIRS) return false;
  const common = countCommon(a, b);
  return Math.max(a.length, b.length) - common <= Math.min(MAX_OWN_PAIRS, common);
}

function countCommon(a: Uint16Array, b: Uint16Array): number {
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return common;
}

/** The share of the longer one of two texts that they have in common, from 0 to 1. */
export const measureSimilarity = (a: TextSample, b: TextSample): number =>
  a.pairs && b.pairs
    ? countCommon(a.pairs, b.pairs) / Math.max(a.pairs.length, b.pairs.length, 1)
    : countAgreements(a.sketch, b.sketch) / PARTS;

export const isSameText = (a: TextSample, b: TextSample): boolean =>
  (isAlmostEmpty(a) && isAlmostEmpty(b)) || a.digest === b.digest || hasSameSketch(a.sketch, b.sketch);
