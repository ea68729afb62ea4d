/**
 * Finds, among thousands of rules, the few that can match a URL. Each rule has a set of texts, and every match
 * contains at least one of them; the rarest four characters of each text are its key. One pass over the URL looks up
 * every four characters in turn, so the cost depends on the URL's length and hardly on the number of rules. Rules
 * without such texts are always candidates.
 */
import { forEachInSteps, runAtOnce, type Steps } from '../../steps.js';
import type { RequiredTexts } from './necessary.js';

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
const COMMON_TEXTS = 'https://www. http://www. .com/ .org/ .net/ index.html';
const COMMON_FREQUENCY = 100_000;

export class LiteralIndex {
  private readonly unindexedRules: number[] = [];
  /** Entries by key length (1 to 4; shorter texts have shorter keys), then by key. */
  private readonly tables: (Map<number, Entry[]> | undefined)[] = [];
  /** Each byte covers many keys; almost all look-ups end at a byte that is 0. */
  private readonly filter = new Uint8Array(1 << FILTER_BITS);
  private hasShortKeys = false;

  /** @param rules what is known about each rule, by rule number, in lower case */
  constructor(rules: readonly RequiredTexts[]) {
    runAtOnce(this.addInSteps(rules));
  }

  static *create(rules: readonly RequiredTexts[]): Steps<LiteralIndex> {
    const index = new LiteralIndex([]);
    yield* index.addInSteps(rules);
    return index;
  }

  private *addInSteps(rules: readonly RequiredTexts[]): Steps<void> {
    const frequencies = yield* countKeys(rules);
    yield* forEachInSteps(rules.entries(), ([rule, requiredTexts]) => {
      const texts = findRarestSet(requiredTexts, frequencies);
      if (texts) for (const text of texts) this.add(rule, text, findRarestKey(text, frequencies));
      else this.unindexedRules.push(rule);
    });
  }

  /**
   * Numbers of the rules that can match, ascending, without duplicates. Both texts are forms of the URL, and may be
   * the same.
   */
  findCandidates(text: string, secondForm: string): readonly number[] {
    const hits: number[] = [];
    this.collectHits(text, hits);
    if (secondForm !== text) this.collectHits(secondForm, hits);
    if (hits.length === 0) return this.unindexedRules;
    return hits.length === 1 && this.unindexedRules.length === 0
      ? hits
      : mergeHits(hits.sort(compareNumbers), this.unindexedRules);
  }

  private add(rule: number, literal: string, { key, keyEnd }: Key): void {
    const length = getKeyLength(literal);
    const table = this.tables[length] ?? new Map<number, Entry[]>();
    this.tables[length] = table;
    const entry = { rule, literal, keyEnd };
    const entries = table.get(key);
    if (entries) entries.push(entry);
    else table.set(key, [entry]);
    if (length < KEY_LENGTH) this.hasShortKeys = true;
    else this.filter[getFilterSlot(key)] = 1;
  }

  private collectHits(text: string, hits: number[]): void {
    const { filter, hasShortKeys } = this;
    const table = this.tables[KEY_LENGTH];
    let key = 0;
    for (let end = 1; end <= text.length; end++) {
      key = (key << 8) ^ text.charCodeAt(end - 1);
      if (filter[getFilterSlot(key)] === 1) addVerifiedHits(text, end, table?.get(key), hits);
      if (hasShortKeys) this.collectShortKeyHits(text, end, key, hits);
    }
  }

  private collectShortKeyHits(text: string, end: number, key: number, hits: number[]): void {
    for (let length = 1; length < KEY_LENGTH; length++) {
      addVerifiedHits(text, end, this.tables[length]?.get(truncateKey(key, length)), hits);
    }
  }
}

function addVerifiedHits(text: string, end: number, entries: readonly Entry[] | undefined, hits: number[]): void {
  if (!entries) return;
  for (const { rule, literal, keyEnd } of entries) {
    if (end >= keyEnd && text.startsWith(literal, end - keyEnd)) hits.push(rule);
  }
}

const compareNumbers = (a: number, b: number): number => a - b;

const getFilterSlot = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS);

const getKeyLength = (literal: string): number => Math.min(KEY_LENGTH, literal.length);

const truncateKey = (key: number, length: number): number => key & ((1 << (8 * length)) - 1);

function* iterateKeys(literal: string): Generator<{ key: number; keyEnd: number }> {
  const length = getKeyLength(literal);
  let key = 0;
  for (let keyEnd = 1; keyEnd <= literal.length; keyEnd++) {
    key = (key << 8) ^ literal.charCodeAt(keyEnd - 1);
    if (keyEnd >= length) yield { key: length < KEY_LENGTH ? truncateKey(key, length) : key, keyEnd };
  }
}

type Frequencies = ReadonlyMap<number, number>;

function* countKeys(rules: readonly RequiredTexts[]): Steps<Frequencies> {
  const frequencies = new Map<number, number>();
  const countTextKeys = (text: string, amount: number) => {
    for (const { key } of iterateKeys(text)) frequencies.set(key, (frequencies.get(key) ?? 0) + amount);
  };
  for (const text of COMMON_TEXTS.split(' ')) countTextKeys(text, COMMON_FREQUENCY);
  yield* forEachInSteps(rules, (requiredTexts) => {
    for (const text of requiredTexts.flat()) countTextKeys(text, 1);
  });
  return frequencies;
}

/** Among the sets known for a rule, the one that probably occurs in the fewest URLs; short texts occur in many. */
function findRarestSet(requiredTexts: RequiredTexts, frequencies: Frequencies): readonly string[] | undefined {
  let rarestSet: readonly string[] | undefined;
  let lowestCost = Number.POSITIVE_INFINITY;
  for (const texts of requiredTexts) {
    if (texts.includes('')) continue;
    const cost = texts.reduce(
      (sum, text) => sum + findRarestKey(text, frequencies).frequency * 8 ** (KEY_LENGTH - getKeyLength(text)),
      0,
    );
    if (cost >= lowestCost) continue;
    lowestCost = cost;
    rarestSet = texts;
  }
  return rarestSet;
}

function findRarestKey(literal: string, frequencies: Frequencies): Key {
  let rarestKey: Key = { key: 0, keyEnd: 0, frequency: Number.POSITIVE_INFINITY };
  for (const { key, keyEnd } of iterateKeys(literal)) {
    const frequency = frequencies.get(key) ?? 0;
    if (frequency < rarestKey.frequency) rarestKey = { key, keyEnd, frequency };
  }
  return rarestKey;
}

/** Both lists are ascending; `hits` may contain duplicates. */
function mergeHits(hits: readonly number[], unindexedRules: readonly number[]): number[] {
  const merged: number[] = [];
  let nextIndex = 0;
  for (const hit of hits) {
    while (nextIndex < unindexedRules.length && (unindexedRules[nextIndex] ?? 0) < hit)
      merged.push(unindexedRules[nextIndex++] ?? 0);
    if (merged[merged.length - 1] !== hit) merged.push(hit);
  }
  while (nextIndex < unindexedRules.length) merged.push(unindexedRules[nextIndex++] ?? 0);
  return merged;
}
