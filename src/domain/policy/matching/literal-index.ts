/**
 * Finds, among thousands of rules, the few that can match a URL. Each rule names texts of which every match contains one;
 * of each text the rarest four characters are its key. One pass over the URL looks up every four characters in turn, so
 * the cost depends on the URL's length and hardly on the number of rules. Rules that name no text are always candidates.
 */

interface Entry {
  readonly rule: number;
  readonly literal: string;
  /** Position just after the key inside the literal. */
  readonly keyEnd: number;
}

const KEY_LENGTH = 4;
const FILTER_BITS = 16;

export class LiteralIndex {
  private readonly always: number[] = [];
  /** By length of the key, 1 … 4: shorter texts have shorter keys. */
  private readonly tables: (Map<number, Entry[]> | undefined)[] = [];
  /** One byte for many keys: almost every look-up ends here. */
  private readonly filter = new Uint8Array(1 << FILTER_BITS);

  /** `rules[i]` are the lower-case texts of rule number i. */
  constructor(rules: readonly (readonly string[] | undefined)[]) {
    const frequency = keyFrequencies(rules);
    for (const [rule, literals] of rules.entries()) {
      if (literals === undefined || literals.includes('')) this.always.push(rule);
      else for (const literal of literals) this.add(rule, literal, frequency);
    }
  }

  /** Numbers of the rules that can match, ascending, none twice. `other` is a second form of the URL, or the same. */
  candidates(text: string, other: string): readonly number[] {
    const hits: number[] = [];
    this.collect(text, hits);
    if (other !== text) this.collect(other, hits);
    return hits.length === 0 ? this.always : merge(hits.sort(ascending), this.always);
  }

  private add(rule: number, literal: string, frequency: ReadonlyMap<number, number>): void {
    const length = Math.min(KEY_LENGTH, literal.length);
    const { key, end } = rarestKey(literal, length, frequency);
    const table = this.tables[length] ?? new Map<number, Entry[]>();
    this.tables[length] = table;
    table.set(key, [...(table.get(key) ?? []), { rule, literal, keyEnd: end }]);
    this.filter[filterSlot(key)] = 1;
  }

  private collect(text: string, hits: number[]): void {
    const { filter, tables } = this;
    const hasShort = tables[1] !== undefined || tables[2] !== undefined || tables[3] !== undefined;
    let key = 0;
    for (let end = 1; end <= text.length; end++) {
      key = (key << 8) ^ text.charCodeAt(end - 1);
      if (end >= KEY_LENGTH && filter[filterSlot(key)] === 1)
        this.verify(text, end, tables[KEY_LENGTH]?.get(key), hits);
      if (hasShort) this.collectShort(text, end, key, hits);
    }
  }

  private collectShort(text: string, end: number, key: number, hits: number[]): void {
    for (let length = 1; length < KEY_LENGTH; length++) {
      const table = this.tables[length];
      if (table && end >= length) this.verify(text, end, table.get(shortKey(key, length)), hits);
    }
  }

  private verify(text: string, end: number, entries: readonly Entry[] | undefined, hits: number[]): void {
    if (!entries) return;
    for (const { rule, literal, keyEnd } of entries) {
      if (end >= keyEnd && text.startsWith(literal, end - keyEnd)) hits.push(rule);
    }
  }
}

const ascending = (a: number, b: number): number => a - b;

const filterSlot = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS);

const shortKey = (key: number, length: number): number => key & ((1 << (8 * length)) - 1);

function* keysOf(literal: string): Generator<{ key: number; end: number }> {
  const length = Math.min(KEY_LENGTH, literal.length);
  let key = 0;
  for (let end = 1; end <= literal.length; end++) {
    key = (key << 8) ^ literal.charCodeAt(end - 1);
    if (end >= length) yield { key: length < KEY_LENGTH ? shortKey(key, length) : key, end };
  }
}

function keyFrequencies(rules: readonly (readonly string[] | undefined)[]): ReadonlyMap<number, number> {
  const frequency = new Map<number, number>();
  for (const literal of rules.flatMap((literals) => literals ?? [])) {
    for (const { key } of keysOf(literal)) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  }
  return frequency;
}

function rarestKey(
  literal: string,
  length: number,
  frequency: ReadonlyMap<number, number>,
): { key: number; end: number } {
  let best = { key: 0, end: length };
  let rarest = Number.POSITIVE_INFINITY;
  for (const candidate of keysOf(literal)) {
    const count = frequency.get(candidate.key) ?? 0;
    if (count < rarest) {
      rarest = count;
      best = candidate;
    }
  }
  return best;
}

/** Both ascending; the first may repeat numbers. */
function merge(hits: readonly number[], always: readonly number[]): number[] {
  const merged: number[] = [];
  let next = 0;
  for (const hit of hits) {
    while (next < always.length && (always[next] ?? 0) < hit) merged.push(always[next++] ?? 0);
    if (merged[merged.length - 1] !== hit) merged.push(hit);
  }
  while (next < always.length) merged.push(always[next++] ?? 0);
  return merged;
}
