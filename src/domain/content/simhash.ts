/**
 * 64-bit simhash (Charikar 2002; Manku, Jain, Das Sarma 2007): texts that share most of their word sequences get
 * fingerprints that differ in few bits.
 */

/** Minimum number of words: two short texts may be equal by chance, or consist only of a site's navigation. */
const MIN_WORDS = 20;
const SHINGLE_WORDS = 3;

/** Number of nibbles in the fingerprint, and number of possible values of each. */
const NIBBLE_COUNT = 16;
const NIBBLE_VALUES = 16;

/**
 * The fingerprint of a text as a signed 64-bit integer; undefined if it has too few words to compare. A word is a run
 * of letters and digits, ignoring ASCII case; in scripts without spaces, each character is a word.
 * @param numbers whether words that contain a digit are left out
 */
export function computeSimhash(text: string, numbers?: 'without numbers'): bigint | undefined {
  const shingles = new ShingleCounter();
  addWords(text, shingles, numbers);
  return shingles.wordCount < MIN_WORDS ? undefined : shingles.toFingerprint();
}

/**
 * Counts how often each nibble of the shingles' hashes had each value. This takes 16 additions per shingle instead of
 * 64, and the majority value of every bit can still be derived.
 */
class ShingleCounter {
  wordCount = 0;
  readonly #counts = new Uint32Array(NIBBLE_COUNT * NIBBLE_VALUES);
  #secondLastWord = 0;
  #lastWord = 0;

  /** Adds the hash of the next word. */
  add(word: number): void {
    if (++this.wordCount >= SHINGLE_WORDS) {
      const sequence = Math.imul(Math.imul(this.#secondLastWord, 0x2c1b3c6d) ^ this.#lastWord, 0x297a2d39) ^ word;
      this.#countHash(0, mixHash(sequence));
      this.#countHash(NIBBLE_COUNT / 2, mixHash(sequence ^ Math.imul(this.#secondLastWord, 0x9e3779b1)));
    }
    this.#secondLastWord = this.#lastWord;
    this.#lastWord = word;
  }

  toFingerprint(): bigint {
    return BigInt.asIntN(
      64,
      (BigInt(this.#computeMajorityBits(0)) << 32n) | BigInt(this.#computeMajorityBits(NIBBLE_COUNT / 2)),
    );
  }

  #countHash(firstNibble: number, hash: number): void {
    const counts = this.#counts;
    for (let nibble = 0; nibble < NIBBLE_COUNT / 2; nibble++) {
      counts[(firstNibble + nibble) * NIBBLE_VALUES + ((hash >>> (nibble * 4)) & 0xf)]!++;
    }
  }

  /** Returns 32 bits, each of them set if it is set in more than half of the shingles' hashes. */
  #computeMajorityBits(firstNibble: number): number {
    const half = (this.wordCount - SHINGLE_WORDS + 1) / 2;
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) {
      const row = (firstNibble + (bit >> 2)) * NIBBLE_VALUES;
      let setCount = 0;
      for (let value = 0; value < NIBBLE_VALUES; value++)
        if ((value >> (bit & 3)) & 1) setCount += this.#counts[row + value]!;
      if (setCount > half) bits |= 1 << bit;
    }
    return bits >>> 0;
  }
}

/**
 * Passes on the hash of each word of a text.
 * @param numbers whether words that contain a digit are left out
 */
export function addWords(text: string, shingles: { add(word: number): void }, numbers?: 'without numbers'): void {
  const lastSkipped = numbers === undefined ? 0 : LAST_DIGIT;
  let word = 0;
  let isNumber = false;
  for (let start = 0; start < text.length; start += UNITS.length) {
    const unitCount = UNIT_BYTES.write(text.slice(start, start + UNITS.length), 'utf16le') >> 1;
    for (let index = 0; index < unitCount; index++) {
      const code = UNITS[index]!;
      const letter = code < 0x80 ? ASCII_WORD_CODES[code]! : isWordPart(code) ? code : 0;
      if (letter !== 0) {
        if (letter <= lastSkipped) isNumber = true;
        word = ((Math.imul(word, 0x01000193) ^ letter) + 0x811c9dc5) | 0;
        continue;
      }
      if (word !== 0 && !isNumber) shingles.add(word);
      word = 0;
      isNumber = false;
      if (isUnspacedScript(code)) shingles.add(code);
    }
  }
  if (word !== 0 && !isNumber) shingles.add(word);
}

/** The part of a text that is being read: from an array, it is read almost twice as fast as from the string. */
const UNITS = new Uint16Array(4_096);
const UNIT_BYTES = Buffer.from(UNITS.buffer);

/** The codes of digits are lower than those of letters. */
const LAST_DIGIT = '9'.charCodeAt(0);

/** The code of each digit and lower-cased letter; 0 for characters that separate words. */
const ASCII_WORD_CODES = new Uint8Array(128);
for (const letter of '0123456789abcdefghijklmnopqrstuvwxyz') {
  ASCII_WORD_CODES[letter.charCodeAt(0)] = ASCII_WORD_CODES[letter.toUpperCase().charCodeAt(0)] = letter.charCodeAt(0);
}

/** Whether a non-ASCII character belongs to a word; Latin-1 symbols and general punctuation separate words. */
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
export function mixHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
