/**
 * Finds the rule of robots.txt that decides about a path without trying all of them: a file may have 30,000 rules, and
 * every URL of its host is checked.
 */

/** Up to this many rules with stars are tried one by one. */
const MAX_UNINDEXED_RULES = 16;
/** Length, in characters, of the pieces by which patterns with stars are looked up. */
const GRAM_LENGTH = 3;

/** A pattern with a star, split at its stars once for all paths. */
interface StarRule {
  readonly rank: number;
  readonly head: string;
  readonly pieces: readonly string[];
  readonly tail: string;
  readonly isAnchored: boolean;
}

export class RobotsMatcher {
  private readonly rules: readonly RobotsRule[];
  /** Patterns without a star, anchored ones included, with their rank in `rules`. */
  private readonly plainRanks = new Map<string, number>();
  /** Lengths of the plain patterns, longest first. */
  private readonly plainLengths: readonly number[];
  /** By a piece of three characters that a path must contain to match. */
  private readonly rulesByGram = new Map<string, StarRule[]>();
  private readonly unindexedRules: StarRule[] = [];

  /** @param rules in any order; if several have the same pattern, an Allow takes precedence */
  constructor(rules: readonly RobotsRule[]) {
    this.rules = [...rules].sort(compareByPrecedence);
    const starRules: StarRule[] = [];
    for (const [rank, { pattern }] of this.rules.entries()) {
      if (pattern.includes('*')) starRules.push(parseStarRule(pattern, rank));
      else if (!this.plainRanks.has(pattern)) this.plainRanks.set(pattern, rank);
    }
    this.plainLengths = [...new Set([...this.plainRanks.keys()].map(({ length }) => length))].sort((a, b) => b - a);
    if (starRules.length <= MAX_UNINDEXED_RULES) this.unindexedRules = starRules;
    else this.indexStarRules(starRules);
  }

  /** Finds the decisive rule for a path in normal form. */
  findRule(path: string): RobotsRule | undefined {
    const bestRank = this.findStarMatch(path, this.findPlainMatch(path));
    return this.rules[bestRank];
  }

  private findPlainMatch(path: string): number {
    const exactRank = this.plainRanks.get(`${path}$`) ?? Number.POSITIVE_INFINITY;
    for (const length of this.plainLengths) {
      const rank = length > path.length ? undefined : this.plainRanks.get(path.slice(0, length));
      if (rank !== undefined) return Math.min(exactRank, rank);
    }
    return exactRank;
  }

  private findStarMatch(path: string, plainRank: number): number {
    let bestRank = findFirstMatch(this.unindexedRules, path, plainRank);
    if (this.rulesByGram.size === 0) return bestRank;
    const examinedLists = new Set<readonly StarRule[]>();
    for (let start = 0; start + GRAM_LENGTH <= path.length; start++) {
      const rules = this.rulesByGram.get(path.slice(start, start + GRAM_LENGTH));
      if (rules === undefined || examinedLists.has(rules)) continue;
      examinedLists.add(rules);
      bestRank = findFirstMatch(rules, path, bestRank);
    }
    return bestRank;
  }

  /** Indexes each rule under its rarest gram, so that few rules are examined for one path. */
  private indexStarRules(starRules: readonly StarRule[]): void {
    const counts = new Map<string, number>();
    const grams = starRules.map(collectGrams);
    for (const ruleGrams of grams) for (const gram of ruleGrams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
    for (const [index, rule] of starRules.entries()) {
      let rarest: string | undefined;
      for (const gram of grams[index]!)
        if (rarest === undefined || counts.get(gram)! < counts.get(rarest)!) rarest = gram;
      const list = rarest === undefined ? this.unindexedRules : (this.rulesByGram.get(rarest) ?? []);
      list.push(rule);
      if (rarest !== undefined) this.rulesByGram.set(rarest, list);
    }
  }
}

/** The longest pattern first (RFC 9309, 2.2.2); among equally long ones, those that allow first. */
function compareByPrecedence(a: RobotsRule, b: RobotsRule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);
}

function findFirstMatch(rules: readonly StarRule[], path: string, bestRank: number): number {
  for (const rule of rules) {
    if (rule.rank >= bestRank) break;
    if (matchesStarRule(rule, path)) return rule.rank;
  }
  return bestRank;
}

function parseStarRule(pattern: string, rank: number): StarRule {
  const isAnchored = pattern.endsWith('$');
  const [head = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const tail = pieces.pop() ?? '';
  return { rank, head, pieces, tail, isAnchored };
}

/** Maximum number of grams collected from a pattern, which is enough to find a rare one. */
const MAX_GRAMS = 64;

function collectGrams({ head, pieces, tail }: StarRule): Set<string> {
  const grams = new Set<string>();
  for (const text of [tail, head, ...pieces]) {
    for (let start = text.length - GRAM_LENGTH; start >= 0 && grams.size < MAX_GRAMS; start--)
      grams.add(text.slice(start, start + GRAM_LENGTH));
  }
  return grams;
}

/**
 * `*` matches any characters, and `$` at the end matches the end of the path. Pieces between stars are searched for
 * from left to right, each as early as possible, so the time for each piece is linear in the path's length.
 */
function matchesStarRule({ head, pieces, tail, isAnchored }: StarRule, path: string): boolean {
  if (!path.startsWith(head)) return false;
  let from = head.length;
  for (const piece of pieces) {
    const position = path.indexOf(piece, from);
    if (position < 0) return false;
    from = position + piece.length;
  }
  return isAnchored ? path.length - tail.length >= from && path.endsWith(tail) : path.includes(tail, from);
}

export interface RobotsRule {
  readonly allow: boolean;
  /** In the normal form of path-form.ts; `*` and a `$` at the end are operators. */
  readonly pattern: string;
  /** 1-based line number in robots.txt. */
  readonly line: number;
}
