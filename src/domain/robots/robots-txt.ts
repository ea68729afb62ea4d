/**
 * robots.txt: from bytes to plain data that can be stored, and from that data to yes or no for one path. Source: RFC 9309.
 * Beyond the RFC: Crawl-delay, and the misspellings that the large crawlers forgive too.
 */
import { type Duration, seconds } from '../time/units.js';
import { normalizePath, normalizePattern } from './path-form.js';

export interface RobotsTxt {
  readonly groups: readonly RobotsGroup[];
  /** As written, in order, without repeats. */
  readonly sitemaps: readonly string[];
}

export interface RobotsGroup {
  /** Product tokens in lower case; `*` is everybody. */
  readonly agents: readonly string[];
  /** The most specific first; of equally specific ones, those that allow. The first that matches decides. */
  readonly rules: readonly RobotsRule[];
  readonly crawlDelay?: Duration;
}

export interface RobotsRule {
  readonly allow: boolean;
  /** In the normal form of path-form.ts; `*` and a `$` at the end are operators. */
  readonly pattern: string;
  /** Where it stands, 1-based. */
  readonly line: number;
}

/** RFC 9309, 2.5: at least 500 KiB are read; what follows is not. */
export const ROBOTS_SIZE_LIMIT = 500 * 1024;
const MOST_SITEMAPS = 1000;
const LONGEST_CRAWL_DELAY_SECONDS = 86_400;

/** No rules: everything is allowed. */
export const EMPTY_ROBOTS: RobotsTxt = { groups: [], sitemaps: [] };

/** Bytes that a rule, and that a group, takes in memory beside its text (measured). */
const RULE_BYTES = 88;
const GROUP_BYTES = 300;

/** About the bytes that it takes in memory. */
export function weightOf({ groups, sitemaps }: RobotsTxt): number {
  const length = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + RULE_BYTES + text.length, 0);
  const weights = groups.map(({ agents, rules }) => length(agents) + length(rules.map(({ pattern }) => pattern)));
  return weights.reduce((sum, weight) => sum + GROUP_BYTES + weight, length(sitemaps));
}

/** Reads any input: what makes no sense is skipped, as the RFC wants it. */
export function parseRobots(input: Uint8Array | string): RobotsTxt {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const builder = new RobotsBuilder();
  for (const [index, line] of linesOf(bytes).entries()) builder.add(line, index + 1);
  return builder.finish();
}

/**
 * Lines with one character per byte: a pattern in an old 8-bit encoding must be compared byte by byte with
 * percent-encoded URLs, so nothing may be lost to a decoder. A line that the size limit cuts, here or in the fetcher, is
 * dropped: a cut pattern would say something else.
 */
function linesOf(bytes: Uint8Array): string[] {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const end = Math.min(bytes.length, ROBOTS_SIZE_LIMIT);
  let text = '';
  for (let at = start; at < end; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, Math.min(at + 8192, end)));
  }
  const lines = text.split(/\r\n|\r|\n/);
  if (bytes.length >= ROBOTS_SIZE_LIMIT) lines.pop();
  return lines;
}

type Field = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
]);

class RobotsBuilder {
  private readonly groups: RobotsGroup[] = [];
  private readonly sitemaps = new Set<string>();
  private agents: string[] = [];
  private rules: RobotsRule[] = [];
  private crawlDelay: Duration | undefined;
  /** A rule has been seen: the next user-agent line opens a new group. */
  private complete = false;
  private lineNumber = 0;

  add(line: string, lineNumber: number): void {
    this.lineNumber = lineNumber;
    const hash = line.indexOf('#');
    const content = (hash < 0 ? line : line.slice(0, hash)).trim();
    // A blank instead of the colon is forgiven when it leaves two words.
    const match = /^([^:]{1,20}):(.*)$/.exec(content) ?? /^(\S{1,20})\s+(\S+)$/.exec(content);
    const field = match ? FIELDS.get(match[1]!.trim().toLowerCase()) : undefined;
    if (field) this.addField(field, match![2]!.trim());
  }

  private addField(field: Field, value: string): void {
    if (field === 'sitemap') this.addSitemap(value);
    else if (field === 'user-agent') this.addAgent(value);
    else {
      this.complete = true;
      if (field === 'crawl-delay') this.addCrawlDelay(value);
      else this.addRule(field === 'allow', value);
    }
  }

  private addSitemap(value: string): void {
    if (value === '' || this.sitemaps.size >= MOST_SITEMAPS) return;
    this.sitemaps.add(new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0))));
  }

  private addAgent(value: string): void {
    if (this.complete) this.closeGroup();
    const token = productToken(value);
    if (token !== '') this.agents.push(token);
  }

  /** The longest of several, 0 to a day; anything but a number is skipped. */
  private addCrawlDelay(value: string): void {
    if (!/^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/.test(value)) return;
    const delay = seconds(Math.min(Number(value), LONGEST_CRAWL_DELAY_SECONDS));
    if (this.crawlDelay === undefined || delay > this.crawlDelay) this.crawlDelay = delay;
  }

  /** An empty value is no rule, and a pattern that does not begin at the root matches nothing. */
  private addRule(allow: boolean, value: string): void {
    const first = value[0];
    if (first === '/' || first === '*')
      this.rules.push({ allow, pattern: normalizePattern(value), line: this.lineNumber });
  }

  private closeGroup(): void {
    if (this.agents.length > 0) {
      this.rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow));
      this.groups.push({ agents: this.agents, rules: this.rules, crawlDelay: this.crawlDelay });
    }
    this.agents = [];
    this.rules = [];
    this.crawlDelay = undefined;
    this.complete = false;
  }

  finish(): RobotsTxt {
    this.closeGroup();
    return { groups: this.groups, sitemaps: [...this.sitemaps] };
  }
}

/** The part of a user-agent value that counts: `FooBot/1.0 (…)` speaks to `foobot`. */
function productToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[\w.-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/** All groups of the agent, or else those of everybody: several of them count as one (RFC 9309, 2.2.1). */
function groupsFor(robots: RobotsTxt, agent: string): readonly RobotsGroup[] {
  const token = productToken(agent);
  const own = token === '*' ? [] : robots.groups.filter((group) => group.agents.includes(token));
  return own.length > 0 ? own : robots.groups.filter((group) => group.agents.includes('*'));
}

/** Whether `agent` (its product token) may ask for a path with its query. */
export const robotsAllows = (robots: RobotsTxt, agent: string, pathWithQuery: string): boolean =>
  decisiveRule(robots, agent, pathWithQuery)?.allow ?? true;

/**
 * The rule that decides about a path with its query: the one with the longest matching pattern, and an Allow before a
 * Disallow of the same length. Undefined: none does, and the path is allowed, as robots.txt itself always is.
 */
export function decisiveRule(robots: RobotsTxt, agent: string, pathWithQuery: string): RobotsRule | undefined {
  const path = normalizePath(pathWithQuery);
  if (path === '/robots.txt') return undefined;
  let decisive: RobotsRule | undefined;
  for (const group of groupsFor(robots, agent)) {
    const rule = group.rules.find((candidate) => patternMatches(candidate.pattern, path));
    if (rule && (!decisive || outranks(rule, decisive))) decisive = rule;
  }
  return decisive;
}

const outranks = (rule: RobotsRule, other: RobotsRule): boolean =>
  rule.pattern.length > other.pattern.length || (rule.pattern.length === other.pattern.length && rule.allow);

/**
 * `*` stands for any characters, `$` at the end for the end of the path. Pieces between stars are looked for from left to
 * right, each as early as it can be; so the time is linear in the path for every piece, whatever the pattern.
 */
function patternMatches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const star = pattern.indexOf('*');
  if (star < 0) return anchored ? path === pattern.slice(0, -1) : path.startsWith(pattern);
  if (!path.startsWith(pattern.slice(0, star))) return false;
  const pieces = (anchored ? pattern.slice(star + 1, -1) : pattern.slice(star + 1)).split('*');
  const tail = pieces.pop()!;
  let from = star;
  for (const piece of pieces) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return anchored ? path.length - tail.length >= from && path.endsWith(tail) : path.includes(tail, from);
}

/** The pause that robots.txt asks of `agent`, as written up to a day; the caller bounds it further. */
export function crawlDelay(robots: RobotsTxt, agent: string): Duration | undefined {
  const delays = groupsFor(robots, agent).flatMap((group) =>
    group.crawlDelay === undefined ? [] : [group.crawlDelay],
  );
  return delays.length === 0 ? undefined : (Math.max(...delays) as Duration);
}
