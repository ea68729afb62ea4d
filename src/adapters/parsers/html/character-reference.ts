/**
 * Decodes the character reference at a position in a text, according to the HTML standard (section 13.2.5.72 and
 * following).
 */
import { DecodingMode, EntityDecoder, htmlDecodeTree } from 'entities/decode';
import { AMPERSAND, HASH, isLetter } from './bytes.js';

/**
 * Bytes that are decoded at a time. The longest name has 32 letters and a semicolon; only numbers with many leading
 * zeros take more.
 */
const STEP = 40;
/** Names and numbers up to this length are cached; they make up nearly all references of nearly all pages. */
const SHORT = 8;
const MAX_REMEMBERED = 4_096;

/** Maps letters, digits and `#` to 1 to 63, so that eight of them fit into a number without loss. */
const DIGIT = new Uint8Array(128);
for (const [index, letter] of [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#'].entries()) {
  DIGIT[letter.charCodeAt(0)] = index + 1;
}

export interface CharacterReference {
  /** In bytes, from the `&` on; 0 if it is not a reference. */
  readonly length: number;
  /** What the reference stands for, in UTF-8. */
  readonly characters: Buffer;
}

const NONE: CharacterReference = { length: 0, characters: Buffer.alloc(0) };

export class CharacterReferences {
  private readonly known = new Map<number, CharacterReference>();
  private text = '';
  private readonly decoder = new EntityDecoder(htmlDecodeTree, (codePoint) => {
    this.text += String.fromCodePoint(codePoint);
  });

  /** Reads the reference whose `&` is at `at`. */
  read(bytes: Buffer, at: number): CharacterReference {
    const first = bytes[at + 1];
    if (bytes[at] !== AMPERSAND || first === undefined || (first !== HASH && !isLetter(first))) return NONE;
    const key = shortKey(bytes, at + 1);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const reference = this.decode(bytes, at);
    if (key > 0 && reference.length > 0 && this.known.size < MAX_REMEMBERED) this.known.set(key, reference);
    return reference;
  }

  private decode(bytes: Buffer, at: number): CharacterReference {
    this.text = '';
    this.decoder.startEntity(DecodingMode.Legacy);
    let length = -1;
    for (let from = at + 1; from < bytes.length && length < 0; from += STEP) {
      length = this.decoder.write(bytes.toString('latin1', from, Math.min(from + STEP, bytes.length)), 0);
    }
    if (length < 0) length = this.decoder.end();
    return { length, characters: Buffer.from(this.text) };
  }
}

/** A number for each short reference that ends in a semicolon; 0 for all others. */
function shortKey(bytes: Buffer, from: number): number {
  let key = 0;
  for (let at = from; at <= from + SHORT && at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x3b) return key;
    const digit = byte < 0x80 ? DIGIT[byte]! : 0;
    if (digit === 0) return 0;
    key = key * 64 + digit;
  }
  return 0;
}
