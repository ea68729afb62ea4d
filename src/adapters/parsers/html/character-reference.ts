/** Decodes the character reference at one place of a text, by the HTML standard (section 13.2.5.72 and following). */
import { DecodingMode, EntityDecoder, htmlDecodeTree } from 'entities/decode';
import { AMPERSAND, HASH, isLetter } from './bytes.js';

/** The longest name has 32 letters and a semicolon; only numbers with many leading zeros take more. */
const STEP = 40;

export class CharacterReferences {
  #text = '';
  readonly #decoder = new EntityDecoder(htmlDecodeTree, (codePoint) => {
    this.#text += String.fromCodePoint(codePoint);
  });

  /** What the reference that was read last stands for. */
  get text(): string {
    return this.#text;
  }

  /** Length in bytes of the reference whose `&` is at `at`; 0 when it is none. */
  read(bytes: Buffer, at: number): number {
    const first = bytes[at + 1];
    if (bytes[at] !== AMPERSAND || first === undefined || (first !== HASH && !isLetter(first))) return 0;
    this.#text = '';
    this.#decoder.startEntity(DecodingMode.Legacy);
    for (let from = at + 1; from < bytes.length; from += STEP) {
      const length = this.#decoder.write(bytes.toString('latin1', from, Math.min(from + STEP, bytes.length)), 0);
      if (length >= 0) return length;
    }
    return this.#decoder.end();
  }
}
