/**
 * Recognizes a fixed set of ASCII names (elements, attributes), in upper or lower case, byte by byte, without creating
 * strings. A walk starts at `ROOT`; each byte leads to the next node through `next[node * WIDTH + SYMBOL[byte]]`. A byte
 * that no name has at that position leads to node 0, which only leads to itself. At the end of the name, `valueAt`
 * returns its value, if it is one of the set.
 */
import { endsName } from './bytes.js';

export const ROOT = 1;
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

export class NameTrie<T> {
  readonly next: Uint16Array;
  private readonly values: (T | undefined)[] = [];

  constructor(entries: Iterable<readonly [name: string, value: T]>) {
    const names = [...entries];
    const maxNodes = names.reduce((sum, [name]) => sum + name.length, ROOT + 1);
    const rows = new Uint16Array(maxNodes * WIDTH);
    let nodes = ROOT + 1;
    for (const [name, value] of names) {
      let node = ROOT;
      for (let i = 0; i < name.length; i++) {
        const cell = node * WIDTH + SYMBOL[name.charCodeAt(i)]!;
        if (rows[cell] === 0) rows[cell] = nodes++;
        node = rows[cell]!;
      }
      this.values[node] = value;
    }
    this.next = rows.slice(0, nodes * WIDTH);
  }

  /** Returns the value of the name whose walk ended at `node`. */
  valueAt(node: number): T | undefined {
    return this.values[node];
  }
}
