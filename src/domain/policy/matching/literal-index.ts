/**
 * Finds, among thousands of rules, the few that can match a URL. Each rule has a set of texts, one of which every match
 * contains; the rarest four characters of each text are its key. One pass over the URL looks up every four characters
 * in turn, so the cost depends on the URL's length and hardly on the number of rules. Rules about which nothing is
 * known are always candidates.
 */
import type { Necessary } from './necessary.js';

interface Entry {
  readonly rule: number;
  readonly literal: string;
  /** Position just after the key inside the literal. */
  readonly keyEnd: number;
}

interface Key {
  readonly key: number;
  readonly keyEnd: number;
  /** How often the key occurs in the texts of all rules. */
  readonly frequency: number;
}

const KEY_LENGTH = 4;
const FILTER_BITS = 16;

/** Texts that occur in most URLs, so their keys are useless. */
const EVERYWHERE = 'https://www. http://www. .com/ .org/ .net/ index.html';
const EVERYWHERE_FREQUENCY = 100_000;

export class LiteralIndex {
  private readonly always: number[] = [];
  /** Entries by key length (1 to 4; shorter texts have shorter keys), then by key. */
  private readonly tables: (Map<number, Entry[]> | undefined)[] = [];
  /** One byte stands for many keys; almost every look-up ends here. */
  private readonly filter = new Uint8Array(1 << FILTER_BITS);
  private hasShortKeys = false;

  /** @param rules what is known about each rule, by rule number, in lower case */
  constructor(rules: readonly Necessary[]) {
    const frequencies = countKeys(rules);
    for (const [rule, necessary] of rules.entries()) {
      const texts = findRarestSet(necessary, frequencies);
      if (texts) for (const text of texts) this.add(rule, text, findRarestKey(text, frequencies));
      else this.always.push(rule);
    }
  }

  /**
   * Numbers of the rules that can match, ascending, without duplicates. `other` is a second form of the URL, or the
   * same one.
   */
  findCandidates(text: string, other: string): readonly number[] {
    const hits: number[] = [];
    this.collect(text, hits);
    if (other !== text) this.collect(other, hits);
    if (hits.length === 0) return this.always;
    return hits.length === 1 && this.always.length === 0 ? hits : mergeHits(hits.sort(compareNumbers), this.always);
  }

  private add(rule: number, literal: string, { key, keyEnd }: Key): void {
    const length = keyLength(literal);
    const table = this.tables[length] ?? new Map<number, Entry[]>();
    this.tables[length] = table;
    const entry = { rule, literal, keyEnd };
    const entries = table.get(key);
    if (entries) entries.push(entry);
    else table.set(key, [entry]);
    if (length < KEY_LENGTH) this.hasShortKeys = true;
    else this.filter[filterSlot(key)] = 1;
  }

  private collect(text: string, hits: number[]): void {
    const { filter, hasShortKeys } = this;
    const table = this.tables[KEY_LENGTH];
    let key = 0;
    for (let end = 1; end <= text.length; end++) {
      key = (key << 8) ^ text.charCodeAt(end - 1);
      if (filter[filterSlot(key)] === 1) collectVerified(text, end, table?.get(key), hits);
      if (hasShortKeys) this.collectShort(text, end, key, hits);
    }
  }

  private collectShort(text: string, end: number, key: number, hits: number[]): void {
    for (let length = 1; length < KEY_LENGTH; length++) {
      collectVerified(text, end, this.tables[length]?.get(shortKey(key, length)), hits);
    }
  }
}

function collectVerified(text: string, end: number, entries: readonly Entry[] | undefined, hits: number[]): void {
  if (!entries) return;
  for (const { rule, literal, keyEnd } of entries) {
    if (end >= keyEnd && text.startsWith(literal, end - keyEnd)) hits.push(rule);
  }
}

const compareNumbers = (a: number, b: number): number => a - b;

const filterSlot = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS);

const keyLength = (literal: string): number => Math.min(KEY_LENGTH, literal.length);

const shortKey = (key: number, length: number): number => key & ((1 << (8 * length)) - 1);

function* iterateKeys(literal: string): Generator<{ key: number; keyEnd: number }> {
  const length = keyLength(literal);
  let key = 0;
  for (let keyEnd = 1; keyEnd <= literal.length; keyEnd++) {
    key = (key << 8) ^ literal.charCodeAt(keyEnd - 1);
    if (keyEnd >= length) yield { key: length < KEY_LENGTH ? shortKey(key, length) : key, keyEnd };
  }
}

type Frequencies = ReadonlyMap<number, number>;

function countKeys(rules: readonly Necessary[]): Frequencies {
  const frequencies = new Map<number, number>();
  const count = (text: string, by: number) => {
    for (const { key } of iterateKeys(text)) frequencies.set(key, (frequencies.get(key) ?? 0) + by);
  };
  for (const text of EVERYWHERE.split(' ')) count(text, EVERYWHERE_FREQUENCY);
  for (const text of rules.flat(2)) count(text, 1);
  return frequencies;
}

/** Among the sets known for a rule, the one that probably occurs in the fewest URLs; short texts occur in many. */
function findRarestSet(necessary: Necessary, frequencies: Frequencies): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const texts of necessary) {
    if (texts.includes('')) continue;
    const cost = texts.reduce(
      (sum, text) => sum + findRarestKey(text, frequencies).frequency * 8 ** (KEY_LENGTH - keyLength(text)),
      0,
    );
    if (cost >= fewest) continue;
    fewest = cost;
    best = texts;
  }
  return best;
}

function findRarestKey(literal: string, frequencies: Frequencies): Key {
  let best: Key = { key: 0, keyEnd: 0, frequency: Number.POSITIVE_INFINITY };
  for (const { key, keyEnd } of iterateKeys(literal)) {
    const frequency = frequencies.get(key) ?? 0;
    if (frequency < best.frequency) best = { key, keyEnd, frequency };
  }
  return best;
}

/** Both lists are ascending; `hits` may contain duplicates. */
function mergeHits(hits: readonly number[], always: readonly number[]): number[] {
  const merged: number[] = [];
  let next = 0;
  for (const hit of hits) {
    while (next < always.length && (always[next] ?? 0) < hit) merged.push(always[next++] ?? 0);
    if (merged[merged.length - 1] !== hit) merged.push(hit);
  }
  while (next < always.length) merged.push(always[next++] ?? 0);
  return merged;
}
