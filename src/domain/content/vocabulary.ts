/** Maximum number of distinct words read from one page. */
const MOST_WORDS = 2_000;

/** Bits and words per generation: out of 16,000 words never seen before, about 200 appear to have been seen. */
const BITS = 1 << 18;
const WORDS_PER_GENERATION = 16_000;

/**
 * The distinct words of a text as hashes: runs of letters and digits, ignoring ASCII case. Without `numbers`, words that contain a
 * digit are skipped: dates, counters and session ids are new on every page without meaning anything.
 */
export function hashWords(text: string, numbers: 'with numbers' | 'without numbers'): Int32Array {
  const words = new Set<number>();
  let hash = 0;
  let isWord = true;
  for (let at = 0; at <= text.length && words.size < MOST_WORDS; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (isDigit(code)) isWord = numbers === 'with numbers';
    if (isLetter(code) || isDigit(code)) {
      hash = (Math.imul(hash, 0x01000193) ^ lowerCase(code)) + 0x811c9dc5;
      continue;
    }
    if (hash !== 0 && isWord) words.add(hash | 0);
    hash = 0;
    isWord = true;
  }
  return Int32Array.from(words);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f));
const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/**
 * The words of a set of pages, in 64 KiB whatever their number (a Bloom filter in two generations: when the younger one
 * is full, it becomes the older one). Occasionally a new word seems known, but none of the last 16,000 words seems new.
 */
export class Vocabulary {
  private young = new Uint8Array(BITS / 8);
  private old = new Uint8Array(BITS / 8);
  private size = 0;

  /** Adds the words of a page and returns how many of them were new. */
  add(words: Int32Array): number {
    let fresh = 0;
    for (const word of words) {
      const first = mix(word) & (BITS - 1);
      const second = mix(word ^ 0x5bd1e995) & (BITS - 1);
      const known = hasBits(this.young, first, second);
      if (known) continue;
      if (!hasBits(this.old, first, second)) fresh++;
      // A word that is still in use is kept in the young generation.
      setBit(this.young, first);
      setBit(this.young, second);
      if (++this.size >= WORDS_PER_GENERATION) this.startGeneration();
    }
    return fresh;
  }

  private startGeneration(): void {
    this.old = this.young;
    this.young = new Uint8Array(BITS / 8);
    this.size = 0;
  }
}

const hasBits = (bits: Uint8Array, first: number, second: number): boolean =>
  (bits[first >> 3]! & (1 << (first & 7))) !== 0 && (bits[second >> 3]! & (1 << (second & 7))) !== 0;

function setBit(bits: Uint8Array, bit: number): void {
  bits[bit >> 3]! |= 1 << (bit & 7);
}

/** Spreads a hash over all its bits (MurmurHash3's finalizer). */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
