/**
 * Decodes the character reference at a position in a text, according to the HTML standard (section 13.2.5.72 and
 * following).
 */
import { DecodingMode, EntityDecoder, htmlDecodeTree } from 'entities/decode';
import { AMPERSAND, HASH, isLetter } from './bytes.js';

/**
 * Number of bytes that are decoded at a time. The longest name has 32 letters and a semicolon; only numbers with many
 * leading zeros take more.
 */
const STEP_BYTES = 40;
/** Names and numbers up to this length are cached; they make up nearly all references of nearly all pages. */
const MAX_CACHED_LENGTH = 8;
const MAX_CACHED = 4_096;

/** Maps letters, digits and `#` to 1 to 63, so that eight of them fit into a number without loss. */
const DIGIT = new Uint8Array(128);
for (const [index, letter] of [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#'].entries()) {
  DIGIT[letter.charCodeAt(0)] = index + 1;
}

export interface CharacterReference {
  /** In bytes, from the `&` on; 0 if it is not a reference. */
  readonly length: number;
  /** What the reference represents, in UTF-8. */
  readonly characters: Buffer;
}

const NO_REFERENCE: CharacterReference = { length: 0, characters: Buffer.alloc(0) };

export class CharacterReferences {
  private readonly cache = new Map<number, CharacterReference>();
  private text = '';
  private readonly decoder = new EntityDecoder(htmlDecodeTree, (codePoint) => {
    this.text += String.fromCodePoint(codePoint);
  });

  /** Reads the reference that begins at a position. */
  read(bytes: Buffer, position: number): CharacterReference {
    const firstByte = bytes[position + 1];
    if (bytes[position] !== AMPERSAND || firstByte === undefined || (firstByte !== HASH && !isLetter(firstByte)))
      return NO_REFERENCE;
    const key = computeShortKey(bytes, position + 1);
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const reference = this.decode(bytes, position);
    if (key > 0 && reference.length > 0 && this.cache.size < MAX_CACHED) this.cache.set(key, reference);
    return reference;
  }

  private decode(bytes: Buffer, position: number): CharacterReference {
    this.text = '';
    this.decoder.startEntity(DecodingMode.Legacy);
    let length = -1;
    for (let from = position + 1; from < bytes.length && length < 0; from += STEP_BYTES) {
      length = this.decoder.write(bytes.toString('latin1', from, Math.min(from + STEP_BYTES, bytes.length)), 0);
    }
    if (length < 0) length = this.decoder.end();
    return { length, characters: Buffer.from(this.text) };
  }
}

/** Returns a unique number for each short reference that ends in a semicolon; 0 for all others. */
function computeShortKey(bytes: Buffer, from: number): number {
  let key = 0;
  for (let position = from; position <= from + MAX_CACHED_LENGTH && position < bytes.length; position++) {
    const byte = bytes[position]!;
    if (byte === 0x3b) return key;
    const digit = byte < 0x80 ? DIGIT[byte]! : 0;
    if (digit === 0) return 0;
    key = key * 64 + digit;
  }
  return 0;
}
