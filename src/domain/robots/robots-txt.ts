/**
 * Parses robots.txt into plain data that can be stored, and decides from that data whether a path is allowed. Source:
 * RFC 9309. Beyond the RFC: Crawl-delay, and the misspellings that the large crawlers also tolerate.
 */
import { type Duration, seconds } from '../time/units.js';
import { normalizePath, normalizePattern } from './path-form.js';
import type { RobotsRule } from './robots-matcher.js';
import { RobotsMatcher } from './robots-matcher.js';

export type { RobotsRule } from './robots-matcher.js';

export interface RobotsTxt {
  readonly groups: readonly RobotsGroup[];
  /** As written, in order, without duplicates. */
  readonly sitemaps: readonly string[];
}

interface RobotsGroup {
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
const MAX_SITEMAPS = 1000;
const MAX_PREFERENCES = 100;
const MAX_PREFERENCE_LENGTH = 500;
const MAX_CRAWL_DELAY_SECONDS = 86_400;

/** No rules: everything is allowed. */
export const EMPTY_ROBOTS: RobotsTxt = { groups: [], sitemaps: [] };

/** Bytes of memory, besides their text, for a rule with its entry in a matcher and for a group (measured). */
const RULE_BYTES = 160;
const GROUP_BYTES = 300;

/** Approximate size in memory, in bytes. */
export function estimateSize({ groups, sitemaps }: RobotsTxt): number {
  const computeTextSize = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + RULE_BYTES + text.length, 0);
  const sizes = groups.map(
    ({ agents, rules }) => computeTextSize(agents) + computeTextSize(rules.map(({ pattern }) => pattern)),
  );
  return sizes.reduce((sum, weight) => sum + GROUP_BYTES + weight, computeTextSize(sitemaps));
}

/** Accepts any input: invalid lines are skipped, as the RFC requires. */
export function parseRobots(input: Uint8Array | string): RobotsTxt {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : toByteText(input);
  const builder = new RobotsBuilder();
  for (const [index, line] of splitLines(bytes).entries()) builder.addLine(line, index + 1);
  return builder.build();
}

/** Editors on Windows may save a text in UTF-16, with a byte order mark; the RFC knows UTF-8 alone. */
function toByteText(bytes: Uint8Array): Uint8Array {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff && 'utf-16be';
  return encoding ? new TextEncoder().encode(new TextDecoder(encoding).decode(bytes)) : bytes;
}

/**
 * Splits a file into lines with one character per byte: a pattern in an old 8-bit encoding must be compared byte by
 * byte with percent-encoded URLs, so a decoder must not change anything. A line that the size limit cuts off, here or
 * in the fetcher, is dropped: a truncated pattern would mean something else.
 */
function splitLines(bytes: Uint8Array): string[] {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const end = Math.min(bytes.length, ROBOTS_SIZE_LIMIT);
  let text = '';
  for (let offset = start; offset < end; offset += 8192) {
    text += String.fromCharCode(...bytes.subarray(offset, Math.min(offset + 8192, end)));
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

/** Removes no-break spaces, too, in UTF-8 and in 8-bit encodings, but not where that byte may be the last one of a letter. */
function trim(text: string): string {
  let end = text.length;
  for (;;) {
    if (text[end - 1]! <= ' ') end--;
    else if (text.endsWith('\xc2\xa0', end)) end -= 2;
    else if (text.endsWith('\xa0', end) && !(text[end - 2]! >= '\x80')) end--;
    else return text.slice(0, end).replace(/^(?:[\0-\x20\xa0]|\xc2\xa0)+/, '');
  }
}

class RobotsBuilder {
  private readonly groups: RobotsGroup[] = [];
  private readonly sitemaps = new Set<string>();
  private agents: string[] = [];
  private rules: RobotsRule[] = [];
  /**
   * Agents named since the last Crawl-delay of the group: the next Crawl-delay applies to them, whereas rules apply to
   * all agents of the group.
   */
  private agentsSinceDelay: string[] = [];
  private crawlDelay: Duration | undefined;
  private preferences: RobotsPreference[] = [];
  /** Whether a rule has been seen, so that the next user-agent line begins a new group. */
  private hasRules = false;
  private lineNumber = 0;

  addLine(line: string, lineNumber: number): void {
    this.lineNumber = lineNumber;
    const hashIndex = line.indexOf('#');
    const content = trim(hashIndex < 0 ? line : line.slice(0, hashIndex));
    // Whitespace instead of the colon is accepted if there are exactly two words.
    const match = /^([^:]{1,20}):(.*)$/.exec(content) ?? /^(\S{1,20})[\t ]+([^\t ]+)$/.exec(content);
    const field = match ? FIELDS.get(trim(match[1]!).toLowerCase()) : undefined;
    if (field) this.addField(field, trim(match![2]!));
  }

  private addField(field: Field, value: string): void {
    if (field === 'sitemap') this.addSitemap(value);
    else if (field === 'user-agent') this.addAgent(value);
    else if (field === 'crawl-delay') this.addCrawlDelay(value);
    else if (field === 'content-usage' || field === 'content-signal') this.addPreference(field, value);
    else {
      this.hasRules = true;
      this.addRule(field === 'allow', value);
    }
  }

  private addSitemap(value: string): void {
    if (value === '' || this.sitemaps.size >= MAX_SITEMAPS) return;
    this.sitemaps.add(new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0))));
  }

  private addAgent(value: string): void {
    if (this.hasRules) this.closeGroup();
    else this.closeDelayGroup();
    const token = parseProductToken(value);
    if (token === '') return;
    this.agents.push(token);
    this.agentsSinceDelay.push(token);
  }

  /** The longest of several delays applies, from 0 to a day; values that are not numbers are skipped. */
  private addCrawlDelay(value: string): void {
    if (!/^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/.test(value)) return;
    const delay = seconds(Math.min(Number(value), MAX_CRAWL_DELAY_SECONDS));
    if (this.crawlDelay === undefined || delay > this.crawlDelay) this.crawlDelay = delay;
  }

  /** An empty value is not a rule, and a pattern that does not begin at the root matches nothing. */
  private addRule(allow: boolean, value: string): void {
    const firstChar = value[0];
    if (firstChar === '/' || firstChar === '*')
      this.rules.push({ allow, pattern: normalizePattern(value), line: this.lineNumber });
  }

  /** `Content-Usage: /news/ train-ai=n`; without a path, it applies to the whole host. */
  private addPreference(field: string, value: string): void {
    if (this.preferences.length >= MAX_PREFERENCES || value === '') return;
    const path = /^[/*]\S{0,2000}/.exec(value)?.[0];
    const rest = path === undefined ? value : value.slice(path.length).trim();
    if (rest === '') return;
    this.preferences.push({
      field,
      pattern: path === undefined ? '/' : normalizePattern(path),
      value: rest.slice(0, MAX_PREFERENCE_LENGTH),
      line: this.lineNumber,
    });
  }

  /**
   * Called when more User-agent lines follow, or the group ends: these lines share the group's rules, because other
   * records do not end a group (RFC 9309, 2.2.4), but have their own delay and preferences.
   */
  private closeDelayGroup(): void {
    const { agentsSinceDelay: agents, crawlDelay, preferences } = this;
    if (crawlDelay === undefined && preferences.length === 0) return;
    this.groups.push({ agents, rules: [], crawlDelay, ...(preferences.length > 0 ? { preferences } : {}) });
    this.agentsSinceDelay = [];
    this.crawlDelay = undefined;
    this.preferences = [];
  }

  private closeGroup(): void {
    const { agents, rules } = this;
    this.closeDelayGroup();
    if (agents.length > 0) this.groups.push({ agents, rules });
    this.agents = [];
    this.agentsSinceDelay = [];
    this.rules = [];
    this.hasRules = false;
  }

  build(): RobotsTxt {
    this.closeGroup();
    return { groups: this.groups, sitemaps: [...this.sitemaps] };
  }
}

/** The significant part of a user-agent value: `FooBot/1.0 (…)` addresses `foobot`. */
function parseProductToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[\w.-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/**
 * Finds all groups for the agent or, if there are none, all groups for `*`; their rules are combined (RFC 9309, 2.2.1).
 */
function findGroups(robots: RobotsTxt, token: string): readonly RobotsGroup[] {
  const ownGroups = token === '*' ? [] : robots.groups.filter((group) => group.agents.includes(token));
  return ownGroups.length > 0 ? ownGroups : robots.groups.filter((group) => group.agents.includes('*'));
}

/** Whether `agent` (its product token) may request a path with its query. */
export const isAllowedByRobots = (robots: RobotsTxt, agent: string, pathWithQuery: string): boolean =>
  findDecisiveRule(robots, agent, pathWithQuery)?.allow ?? true;

/**
 * Finds the rule that decides about a path with its query: the one with the longest matching pattern, with Allow taking
 * precedence over a Disallow of the same length. Undefined if none matches and the path is allowed, as robots.txt
 * itself always is.
 */
export function findDecisiveRule(robots: RobotsTxt, agent: string, pathWithQuery: string): RobotsRule | undefined {
  if (robots.groups.length === 0) return undefined;
  const path = normalizePath(pathWithQuery);
  return path === '/robots.txt' ? undefined : getOrCreateMatcher(robots, parseProductToken(agent)).findRule(path);
}

/** Matchers built from a file for the agents that used it; they are dropped with the file. */
const matchers = new WeakMap<RobotsTxt, Map<string, RobotsMatcher>>();
/** The fetchers of one configuration have only a few product tokens. */
const MAX_AGENTS = 8;

function getOrCreateMatcher(robots: RobotsTxt, token: string): RobotsMatcher {
  const agentMatchers = matchers.get(robots) ?? new Map<string, RobotsMatcher>();
  const matcher =
    agentMatchers.get(token) ?? new RobotsMatcher(findGroups(robots, token).flatMap(({ rules }) => rules));
  if (!agentMatchers.has(token)) {
    if (agentMatchers.size >= MAX_AGENTS) agentMatchers.clear();
    matchers.set(robots, agentMatchers.set(token, matcher));
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
 * Finds the preferences for a path: for each field, the value with the longest matching pattern, or the first of
 * equally long ones.
 */
export function findPreferences(robots: RobotsTxt, agent: string, pathWithQuery: string): readonly RobotsPreference[] {
  if (!robots.groups.some(({ preferences }) => preferences)) return [];
  const allPreferences = findGroups(robots, parseProductToken(agent)).flatMap(({ preferences }) => preferences ?? []);
  const path = normalizePath(pathWithQuery);
  return [...new Set(allPreferences.map(({ field }) => field))].flatMap((field) => {
    const fieldPreferences = allPreferences.filter((preference) => preference.field === field);
    const rules = fieldPreferences.map(({ pattern, line }) => ({ allow: true, pattern, line }));
    const decisiveRule = new RobotsMatcher(rules).findRule(path);
    return decisiveRule ? fieldPreferences.filter(({ line }) => line === decisiveRule.line) : [];
  });
}
