import { mixHash } from './simhash.js';

/** Maximum number of distinct words read from one page. */
const MAX_WORDS = 2_000;

/**
 * Bits and words per generation. With these numbers, about 200 out of 16,000 words that were never seen before appear
 * to have been seen.
 */
const BITS = 1 << 18;
const WORDS_PER_GENERATION = 16_000;

/**
 * Hashes the distinct words of a text, which are runs of letters and digits, ignoring ASCII case. With `without
 * numbers`, words that contain a digit are skipped: dates, counters and session ids are new on every page, but say
 * nothing about its content.
 */
export function hashWords(text: string, numbers: 'with numbers' | 'without numbers'): Int32Array {
  const words = new Set<number>();
  let hash = 0;
  let isIncluded = true;
  for (let index = 0; index <= text.length && words.size < MAX_WORDS; index++) {
    const code = index < text.length ? text.charCodeAt(index) : 0;
    if (isDigit(code)) isIncluded = numbers === 'with numbers';
    if (isLetter(code) || isDigit(code)) {
      hash = (Math.imul(hash, 0x01000193) ^ toLowerCase(code)) + 0x811c9dc5;
      continue;
    }
    if (hash !== 0 && isIncluded) words.add(hash | 0);
    hash = 0;
    isIncluded = true;
  }
  return Int32Array.from(words);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f));
const toLowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/**
 * The words of a set of pages, in a constant 64 KiB (a Bloom filter in two generations: when the younger one is full,
 * it becomes the older one). Occasionally a new word is taken for a known one, but none of the last 16,000 words is
 * ever taken for a new one.
 */
export class Vocabulary {
  private youngGeneration = new Uint8Array(BITS / 8);
  private oldGeneration = new Uint8Array(BITS / 8);
  private youngWordCount = 0;

  /** Adds the words of a page and returns how many of them were new. */
  add(words: Int32Array): number {
    let newWordCount = 0;
    for (const word of words) {
      const firstBit = mixHash(word) & (BITS - 1);
      const secondBit = mixHash(word ^ 0x5bd1e995) & (BITS - 1);
      const isInYoungGeneration = hasBits(this.youngGeneration, firstBit, secondBit);
      if (isInYoungGeneration) continue;
      if (!hasBits(this.oldGeneration, firstBit, secondBit)) newWordCount++;
      // A word that is still in use is kept in the young generation.
      setBit(this.youngGeneration, firstBit);
      setBit(this.youngGeneration, secondBit);
      if (++this.youngWordCount >= WORDS_PER_GENERATION) this.startGeneration();
    }
    return newWordCount;
  }

  private startGeneration(): void {
    this.oldGeneration = this.youngGeneration;
    this.youngGeneration = new Uint8Array(BITS / 8);
    this.youngWordCount = 0;
  }
}

const hasBits = (bits: Uint8Array, firstBit: number, secondBit: number): boolean =>
  (bits[firstBit >> 3]! & (1 << (firstBit & 7))) !== 0 && (bits[secondBit >> 3]! & (1 << (secondBit & 7))) !== 0;

function setBit(bits: Uint8Array, bit: number): void {
  bits[bit >> 3]! |= 1 << (bit & 7);
}
