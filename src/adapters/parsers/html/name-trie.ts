/**
 * Recognises a fixed set of ASCII names (elements, attributes) byte by byte, without making a string of what it reads.
 *
 * A walk starts at `ROOT`; each byte leads to the next node through `next[node * WIDTH + SYMBOL[byte]]`. A byte that no
 * name has there leads to node 0, which nothing leaves. Where the name ends, `valueAt` says which one it was, if any.
 */
import { endsName } from './bytes.js';

export const ROOT = 1;
export const WIDTH = 64;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789-:';

/** The column of the bytes that end the name of a tag: white space, `/` and `>`. */
export const END = WIDTH - 1;

/** Byte → column of the table; upper and lower case letters share theirs, bytes outside the alphabet have column 0. */
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
    const rows: number[] = new Array(2 * WIDTH).fill(0);
    for (const [name, value] of entries) this.values[insert(rows, name)] = value;
    this.next = Uint16Array.from(rows);
  }

  /** The value of the name whose walk ended at `node`. */
  valueAt(node: number): T | undefined {
    return this.values[node];
  }
}

function insert(rows: number[], name: string): number {
  let node = ROOT;
  for (let i = 0; i < name.length; i++) {
    const cell = node * WIDTH + SYMBOL[name.charCodeAt(i)]!;
    if (rows[cell] === 0) {
      rows[cell] = rows.length / WIDTH;
      for (let column = 0; column < WIDTH; column++) rows.push(0);
    }
    node = rows[cell]!;
  }
  return node;
}
