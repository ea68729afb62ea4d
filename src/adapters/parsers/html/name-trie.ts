/** A case-insensitive trie of ASCII names (elements, attributes), read through `next[node * WIDTH + SYMBOL[byte]]`. */
import { Trie } from '../trie.js';
import { endsName } from './bytes.js';

export { ROOT } from '../trie.js';
export const WIDTH = 64;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789-:';

/** The column of the bytes that end a tag's name: white space, `/` and `>`. */
export const END = WIDTH - 1;

/**
 * Maps bytes to columns of the table; upper-case and lower-case letters share a column, and bytes outside the alphabet
 * have column 0.
 */
export const SYMBOL = new Uint8Array(256);
for (let byte = 0; byte < SYMBOL.length; byte++) if (endsName(byte)) SYMBOL[byte] = END;
for (const [index, letter] of [...ALPHABET].entries()) {
  SYMBOL[letter.charCodeAt(0)] = index + 1;
  SYMBOL[letter.toUpperCase().charCodeAt(0)] = index + 1;
}

export class NameTrie<T> extends Trie<T> {
  constructor(names: Iterable<readonly [name: string, value: T]>) {
    super(names, WIDTH, (code) => SYMBOL[code]!);
  }
}
