/**
 * Parses robots.txt into plain data that can be stored, and decides from that data whether a path is allowed. Source:
 * RFC 9309. Beyond the RFC: Crawl-delay, and the misspellings that the large crawlers also tolerate.
 */
import { type Duration, seconds } from '../time/units.js';
import { normalizePath, normalizePattern } from './path-form.js';
import { RobotsMatcher } from './robots-matcher.js';
import type { RobotsRule } from './robots-rule.js';

export type { RobotsRule } from './robots-rule.js';

export interface RobotsTxt {
  readonly groups: readonly RobotsGroup[];
  /** As written, in order, without duplicates. */
  readonly sitemaps: readonly string[];
}

export interface RobotsGroup {
  /** Product tokens in lower case; `*` means every agent. */
  readonly agents: readonly string[];
  /** As written. */
  readonly rules: readonly RobotsRule[];
  readonly crawlDelay?: Duration;
  /** Content-Usage and Content-Signal, as written; absent if there are none. */
  readonly preferences?: readonly RobotsPreference[];
}

export interface RobotsPreference {
  /** Name of the record, in lower case. */
  readonly field: string;
  /** As in a rule; `/` for the whole host. */
  readonly pattern: string;
  readonly value: string;
  readonly line: number;
}

/** RFC 9309, 2.5: at least 500 KiB must be read; the rest is ignored. */
export const ROBOTS_SIZE_LIMIT = 500 * 1024;
const MOST_SITEMAPS = 1000;
const MOST_PREFERENCES = 100;
const LONGEST_PREFERENCE = 500;
const LONGEST_CRAWL_DELAY_SECONDS = 86_400;

/** No rules: everything is allowed. */
export const EMPTY_ROBOTS: RobotsTxt = { groups: [], sitemaps: [] };

/** Bytes of memory, besides their text, for a rule with its entry in a matcher and for a group (measured). */
const RULE_BYTES = 160;
const GROUP_BYTES = 300;

/** Approximate size in memory, in bytes. */
export function estimateSize({ groups, sitemaps }: RobotsTxt): number {
  const totalLength = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + RULE_BYTES + text.length, 0);
  const weights = groups.map(
    ({ agents, rules }) => totalLength(agents) + totalLength(rules.map(({ pattern }) => pattern)),
  );
  return weights.reduce((sum, weight) => sum + GROUP_BYTES + weight, totalLength(sitemaps));
}

/** Accepts any input: invalid lines are skipped, as the RFC requires. */
export function parseRobots(input: Uint8Array | string): RobotsTxt {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const builder = new RobotsBuilder();
  for (const [index, line] of splitLines(bytes).entries()) builder.add(line, index + 1);
  return builder.finish();
}

/**
 * Lines with one character per byte: a pattern in an old 8-bit encoding must be compared byte by byte with
 * percent-encoded URLs, so a decoder must not change anything. A line that the size limit cuts off, here or in the
 * fetcher, is dropped: a truncated pattern would mean something else.
 */
function splitLines(bytes: Uint8Array): string[] {
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

type Field = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'content-usage' | 'content-signal';

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
  ['content-usage', 'content-usage'],
  ['content-signal', 'content-signal'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
]);

class RobotsBuilder {
  private readonly groups: RobotsGroup[] = [];
  private readonly sitemaps = new Set<string>();
  private agents: string[] = [];
  private rules: RobotsRule[] = [];
  /**
   * Agents named since the last Crawl-delay of the group: the next Crawl-delay applies to them, whereas rules apply to
   * all agents of the group.
   */
  private delayed: string[] = [];
  private crawlDelay: Duration | undefined;
  private preferences: RobotsPreference[] = [];
  /** A rule has been seen: the next user-agent line opens a new group. */
  private complete = false;
  private lineNumber = 0;

  add(line: string, lineNumber: number): void {
    this.lineNumber = lineNumber;
    const hash = line.indexOf('#');
    const content = (hash < 0 ? line : line.slice(0, hash)).trim();
    // Whitespace instead of the colon is accepted if there are exactly two words.
    const match = /^([^:]{1,20}):(.*)$/.exec(content) ?? /^(\S{1,20})\s+(\S+)$/.exec(content);
    const field = match ? FIELDS.get(match[1]!.trim().toLowerCase()) : undefined;
    if (field) this.addField(field, match![2]!.trim());
  }

  private addField(field: Field, value: string): void {
    if (field === 'sitemap') this.addSitemap(value);
    else if (field === 'user-agent') this.addAgent(value);
    else if (field === 'crawl-delay') this.addCrawlDelay(value);
    else if (field === 'content-usage' || field === 'content-signal') this.addPreference(field, value);
    else {
      this.complete = true;
      this.addRule(field === 'allow', value);
    }
  }

  private addSitemap(value: string): void {
    if (value === '' || this.sitemaps.size >= MOST_SITEMAPS) return;
    this.sitemaps.add(new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0))));
  }

  private addAgent(value: string): void {
    if (this.complete) this.closeGroup();
    else if (this.crawlDelay !== undefined || this.preferences.length > 0) this.closeDelay();
    const token = parseProductToken(value);
    if (token === '') return;
    this.agents.push(token);
    this.delayed.push(token);
  }

  /** The longest of several counts, from 0 to a day; anything but a number is skipped. */
  private addCrawlDelay(value: string): void {
    if (!/^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/.test(value)) return;
    const delay = seconds(Math.min(Number(value), LONGEST_CRAWL_DELAY_SECONDS));
    if (this.crawlDelay === undefined || delay > this.crawlDelay) this.crawlDelay = delay;
  }

  /** An empty value is not a rule, and a pattern that does not begin at the root matches nothing. */
  private addRule(allow: boolean, value: string): void {
    const first = value[0];
    if (first === '/' || first === '*')
      this.rules.push({ allow, pattern: normalizePattern(value), line: this.lineNumber });
  }

  /** `Content-Usage: /news/ train-ai=n`; without a path, it applies to the whole host. */
  private addPreference(field: string, value: string): void {
    if (this.preferences.length >= MOST_PREFERENCES || value === '') return;
    const path = /^[/*]\S{0,2000}/.exec(value)?.[0];
    const rest = path === undefined ? value : value.slice(path.length).trim();
    if (rest === '') return;
    this.preferences.push({
      field,
      pattern: path === undefined ? '/' : normalizePattern(path),
      value: rest.slice(0, LONGEST_PREFERENCE),
      line: this.lineNumber,
    });
  }

  /**
   * More User-agent lines follow. They share the group's rules, as other records do not end a group (RFC 9309, 2.2.4),
   * but have their own delay and preferences.
   */
  private closeDelay(): void {
    this.groups.push({ agents: this.delayed, rules: [], ...this.getOtherFields() });
    this.delayed = [];
    this.crawlDelay = undefined;
    this.preferences = [];
  }

  private closeGroup(): void {
    const { agents, rules, delayed } = this;
    const hasOther = this.crawlDelay !== undefined || this.preferences.length > 0;
    if (delayed.length < agents.length && hasOther) this.closeDelay();
    if (agents.length > 0) this.groups.push({ agents, rules, ...this.getOtherFields() });
    this.agents = [];
    this.delayed = [];
    this.rules = [];
    this.crawlDelay = undefined;
    this.preferences = [];
    this.complete = false;
  }

  private getOtherFields(): Pick<RobotsGroup, 'crawlDelay' | 'preferences'> {
    const { crawlDelay, preferences } = this;
    return preferences.length === 0 ? { crawlDelay } : { crawlDelay, preferences };
  }

  finish(): RobotsTxt {
    this.closeGroup();
    return { groups: this.groups, sitemaps: [...this.sitemaps] };
  }
}

/** The significant part of a user-agent value: `FooBot/1.0 (…)` addresses `foobot`. */
function parseProductToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[\w.-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/** All groups for the agent, or else those for every agent; several groups count as one (RFC 9309, 2.2.1). */
function findGroups(robots: RobotsTxt, token: string): readonly RobotsGroup[] {
  const own = token === '*' ? [] : robots.groups.filter((group) => group.agents.includes(token));
  return own.length > 0 ? own : robots.groups.filter((group) => group.agents.includes('*'));
}

/** Whether `agent` (its product token) may request a path with its query. */
export const isAllowedByRobots = (robots: RobotsTxt, agent: string, pathWithQuery: string): boolean =>
  findDecisiveRule(robots, agent, pathWithQuery)?.allow ?? true;

/**
 * The rule that decides about a path with its query: the one with the longest matching pattern, with Allow taking
 * precedence over a Disallow of the same length. Undefined if none matches and the path is allowed, as robots.txt
 * itself always is.
 */
export function findDecisiveRule(robots: RobotsTxt, agent: string, pathWithQuery: string): RobotsRule | undefined {
  if (robots.groups.length === 0) return undefined;
  const path = normalizePath(pathWithQuery);
  return path === '/robots.txt' ? undefined : getOrCreateMatcher(robots, parseProductToken(agent)).find(path);
}

/** Matchers built from a file for the agents that used it; they are dropped with the file. */
const matchers = new WeakMap<RobotsTxt, Map<string, RobotsMatcher>>();
/** The fetchers of one configuration have only a few product tokens. */
const MOST_AGENTS = 8;

function getOrCreateMatcher(robots: RobotsTxt, token: string): RobotsMatcher {
  const known = matchers.get(robots) ?? new Map<string, RobotsMatcher>();
  const matcher = known.get(token) ?? new RobotsMatcher(findGroups(robots, token).flatMap(({ rules }) => rules));
  if (!known.has(token)) {
    if (known.size >= MOST_AGENTS) known.clear();
    matchers.set(robots, known.set(token, matcher));
  }
  return matcher;
}

/** The pause that robots.txt requests from `agent`, up to a day; the caller limits it further. */
export function findCrawlDelay(robots: RobotsTxt, agent: string): Duration | undefined {
  const delays = findGroups(robots, parseProductToken(agent)).flatMap((group) =>
    group.crawlDelay === undefined ? [] : [group.crawlDelay],
  );
  return delays.length === 0 ? undefined : delays.reduce((longest, delay) => (delay > longest ? delay : longest));
}

/**
 * The preferences for a path: for each field, the value with the longest matching pattern, or the first of equally long
 * ones.
 */
export function findPreferences(robots: RobotsTxt, agent: string, pathWithQuery: string): readonly RobotsPreference[] {
  if (!robots.groups.some(({ preferences }) => preferences)) return [];
  const all = findGroups(robots, parseProductToken(agent)).flatMap(({ preferences }) => preferences ?? []);
  const path = normalizePath(pathWithQuery);
  return [...new Set(all.map(({ field }) => field))].flatMap((field) => {
    const own = all.filter((one) => one.field === field);
    const rules = own.map(({ pattern, line }) => ({ allow: true, pattern, line }));
    const found = new RobotsMatcher(rules).find(path);
    return found ? own.filter(({ line }) => line === found.line) : [];
  });
}
