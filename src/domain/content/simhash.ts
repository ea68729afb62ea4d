/**
 * 64-bit simhash (Charikar 2002; Manku, Jain, Das Sarma 2007): texts that share most of their word sequences get
 * fingerprints that differ in few bits.
 */

/** Minimum number of words: two short texts may be equal by chance, or consist only of a site's navigation. */
const LEAST_WORDS = 20;
const SHINGLE_WORDS = 3;

/** Number of nibbles in the fingerprint, and number of values that each can have. */
const NIBBLES = 16;
const VALUES = 16;

/**
 * The fingerprint of a text as a signed 64-bit integer; undefined if it has too few words to compare. A word is a run of letters
 * and digits, ignoring ASCII case; in scripts without spaces, each character is a word.
 */
export function computeSimhash(text: string): bigint | undefined {
  const shingles = new ShingleCounter();
  countWords(text, shingles);
  return shingles.words < LEAST_WORDS ? undefined : shingles.toFingerprint();
}

/**
 * Counts, for each nibble of the shingles' hashes, how often it had each value: this takes 16 additions per shingle
 * instead of 64, and the majority of every bit can still be derived.
 */
class ShingleCounter {
  words = 0;
  readonly #counts = new Uint32Array(NIBBLES * VALUES);
  #before = 0;
  #last = 0;

  /** Adds the hash of the next word. */
  add(word: number): void {
    if (++this.words >= SHINGLE_WORDS) {
      const sequence = Math.imul(Math.imul(this.#before, 0x2c1b3c6d) ^ this.#last, 0x297a2d39) ^ word;
      this.#countHash(0, mix(sequence));
      this.#countHash(NIBBLES / 2, mix(sequence ^ Math.imul(this.#before, 0x9e3779b1)));
    }
    this.#before = this.#last;
    this.#last = word;
  }

  toFingerprint(): bigint {
    return BigInt.asIntN(
      64,
      (BigInt(this.#computeMajorityBits(0)) << 32n) | BigInt(this.#computeMajorityBits(NIBBLES / 2)),
    );
  }

  #countHash(firstNibble: number, hash: number): void {
    const counts = this.#counts;
    for (let nibble = 0; nibble < NIBBLES / 2; nibble++) {
      counts[(firstNibble + nibble) * VALUES + ((hash >>> (nibble * 4)) & 0xf)]!++;
    }
  }

  /** 32 bits, each set if it is set in more than half of the shingles' hashes. */
  #computeMajorityBits(firstNibble: number): number {
    const half = (this.words - SHINGLE_WORDS + 1) / 2;
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) {
      const row = (firstNibble + (bit >> 2)) * VALUES;
      let set = 0;
      for (let value = 0; value < VALUES; value++) if ((value >> (bit & 3)) & 1) set += this.#counts[row + value]!;
      if (set > half) bits |= 1 << bit;
    }
    return bits >>> 0;
  }
}

function countWords(text: string, shingles: ShingleCounter): void {
  let word = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = code < 0x80 ? ASCII[code]! : isWordPart(code) ? code : 0;
    if (letter !== 0) {
      word = (Math.imul(word, 0x01000193) ^ letter) + 0x811c9dc5;
      continue;
    }
    if (word !== 0) shingles.add(word);
    word = 0;
    if (isUnspacedScript(code)) shingles.add(code);
  }
  if (word !== 0) shingles.add(word);
}

/** The code of each digit and lower-cased letter; 0 for characters that separate words. */
const ASCII = new Uint8Array(128);
for (const letter of '0123456789abcdefghijklmnopqrstuvwxyz') {
  ASCII[letter.charCodeAt(0)] = ASCII[letter.toUpperCase().charCodeAt(0)] = letter.charCodeAt(0);
}

/** For non-ASCII characters: Latin-1 symbols and general punctuation separate words. */
function isWordPart(code: number): boolean {
  return code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f) && !isUnspacedScript(code);
}

/**
 * Whether a UTF-16 unit belongs to a script without spaces: Thai to Burmese, Khmer, Chinese, Japanese, or anything
 * beyond the basic plane.
 */
function isUnspacedScript(code: number): boolean {
  if (code < 0x0e00) return false;
  return (
    code <= 0x109f ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xd800 && code <= 0xfaff)
  );
}

/** Spreads a hash over all its bits (MurmurHash3's finalizer). */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
