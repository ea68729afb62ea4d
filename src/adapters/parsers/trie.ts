/**
 * Recognizes a fixed set of words character by character, without creating strings. A walk starts at `ROOT`; each
 * character leads to the next node through `next[node * width + column]`, where `columnOf` gives the character's
 * column. A character that no word has at that position leads to node 0, which only leads to itself. At the end of
 * the word, `valueAt` returns the value of the word, if it is one of the set.
 */
export const ROOT = 1;

export class Trie<T> {
  readonly next: Uint16Array;
  private readonly values: (T | undefined)[] = [];

  constructor(entries: Iterable<readonly [word: string, value: T]>, width: number, columnOf: (code: number) => number) {
    const words = [...entries];
    const maxNodes = words.reduce((sum, [word]) => sum + word.length, ROOT + 1);
    const rows = new Uint16Array(maxNodes * width);
    let nodes = ROOT + 1;
    for (const [word, value] of words) {
      let node = ROOT;
      for (let i = 0; i < word.length; i++) {
        const cell = node * width + columnOf(word.charCodeAt(i));
        if (rows[cell] === 0) rows[cell] = nodes++;
        node = rows[cell]!;
      }
      this.values[node] = value;
    }
    this.next = rows.slice(0, nodes * width);
  }

  /** Returns the value of the word whose walk ended at `node`. */
  valueAt(node: number): T | undefined {
    return this.values[node];
  }
}
