/**
 * Finds the rule of robots.txt that decides about a path without trying all of them: a file may have 30,000 rules, and every URL of
 * its host is checked.
 */
import type { RobotsRule } from './robots-rule.js';

/** Up to this many rules with stars are tried one by one. */
const FEW_RULES = 16;
/** Length, in characters, of the pieces by which patterns with stars are looked up. */
const GRAM = 3;

/** A pattern with a star, split at its stars once for all paths. */
interface StarRule {
  readonly rank: number;
  readonly head: string;
  readonly pieces: readonly string[];
  readonly tail: string;
  readonly anchored: boolean;
}

export class RobotsMatcher {
  private readonly rules: readonly RobotsRule[];
  /** Patterns without a star, anchored ones included, with their rank in `rules`. */
  private readonly plain = new Map<string, number>();
  /** Lengths of the plain patterns, longest first. */
  private readonly lengths: readonly number[];
  /** By a piece of three characters that a path must contain to match. */
  private readonly byGram = new Map<string, StarRule[]>();
  private readonly anyPath: StarRule[] = [];

  /** @param rules in any order; if several have the same pattern, an Allow counts */
  constructor(rules: readonly RobotsRule[]) {
    this.rules = [...rules].sort(byPrecedence);
    const stars: StarRule[] = [];
    for (const [rank, { pattern }] of this.rules.entries()) {
      if (pattern.includes('*')) stars.push(parseStarRule(pattern, rank));
      else if (!this.plain.has(pattern)) this.plain.set(pattern, rank);
    }
    this.lengths = [...new Set([...this.plain.keys()].map(({ length }) => length))].sort((a, b) => b - a);
    if (stars.length <= FEW_RULES) this.anyPath = stars;
    else this.indexStarRules(stars);
  }

  /** Finds the decisive rule for a path in normal form. */
  find(path: string): RobotsRule | undefined {
    const best = this.findStar(path, this.findPlain(path));
    return this.rules[best];
  }

  private findPlain(path: string): number {
    const exact = this.plain.get(`${path}$`) ?? Number.POSITIVE_INFINITY;
    for (const length of this.lengths) {
      const rank = length > path.length ? undefined : this.plain.get(path.slice(0, length));
      if (rank !== undefined) return Math.min(exact, rank);
    }
    return exact;
  }

  private findStar(path: string, plain: number): number {
    let best = findFirstMatch(this.anyPath, path, plain);
    if (this.byGram.size === 0) return best;
    const seen = new Set<readonly StarRule[]>();
    for (let at = 0; at + GRAM <= path.length; at++) {
      const rules = this.byGram.get(path.slice(at, at + GRAM));
      if (rules === undefined || seen.has(rules)) continue;
      seen.add(rules);
      best = findFirstMatch(rules, path, best);
    }
    return best;
  }

  /** Indexes each rule under its rarest gram, so that few rules are examined for one path. */
  private indexStarRules(stars: readonly StarRule[]): void {
    const counts = new Map<string, number>();
    const grams = stars.map(collectGrams);
    for (const some of grams) for (const gram of some) counts.set(gram, (counts.get(gram) ?? 0) + 1);
    for (const [number, rule] of stars.entries()) {
      let rarest: string | undefined;
      for (const gram of grams[number]!)
        if (rarest === undefined || counts.get(gram)! < counts.get(rarest)!) rarest = gram;
      const list = rarest === undefined ? this.anyPath : (this.byGram.get(rarest) ?? []);
      list.push(rule);
      if (rarest !== undefined) this.byGram.set(rarest, list);
    }
  }
}

/** The longest pattern first (RFC 9309, 2.2.2); among equally long ones, those that allow first. */
function byPrecedence(a: RobotsRule, b: RobotsRule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);
}

function findFirstMatch(rules: readonly StarRule[], path: string, best: number): number {
  for (const rule of rules) {
    if (rule.rank >= best) break;
    if (matches(rule, path)) return rule.rank;
  }
  return best;
}

function parseStarRule(pattern: string, rank: number): StarRule {
  const anchored = pattern.endsWith('$');
  const [head = '', ...pieces] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const tail = pieces.pop() ?? '';
  return { rank, head, pieces, tail, anchored };
}

/** This many grams of a long pattern are enough to find a rare one. */
const MOST_GRAMS = 64;

function collectGrams({ head, pieces, tail }: StarRule): Set<string> {
  const grams = new Set<string>();
  for (const text of [tail, head, ...pieces]) {
    for (let at = text.length - GRAM; at >= 0 && grams.size < MOST_GRAMS; at--) grams.add(text.slice(at, at + GRAM));
  }
  return grams;
}

/**
 * `*` stands for any characters, `$` at the end for the end of the path. Pieces between stars are searched for from left to
 * right, each as early as possible, so each piece takes time linear in the path's length, whatever the pattern.
 */
function matches({ head, pieces, tail, anchored }: StarRule, path: string): boolean {
  if (!path.startsWith(head)) return false;
  let from = head.length;
  for (const piece of pieces) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return anchored ? path.length - tail.length >= from && path.endsWith(tail) : path.includes(tail, from);
}
