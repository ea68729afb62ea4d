/**
 * Parses what a page tells robots, in `<meta name=robots>` (or a meta with the agent's name) and in X-Robots-Tag lines.
 * All of them are combined: anything that one of them forbids is forbidden.
 */
import { parseClaimedChange } from '../refresh/claimed-changes.js';
import { toMetaName } from '../signals/meta-names.js';
import type { Preference } from '../signals/usage-preferences.js';
import { parseHttpDate } from '../time/http-date.js';
import { earlier, type Instant, NEVER } from '../time/units.js';
import { parseWrittenDate } from '../time/written-date.js';

export interface RobotsDirectives {
  readonly index: boolean;
  readonly follow: boolean;
  /** false: the index should not show a copy of the page. */
  readonly archive: boolean;
  /**
   * Other directives for search engines, as written: limits on snippets and images, and until when the page may be
   * shown.
   */
  readonly terms: readonly Preference[];
  /** Time after which the page may no longer be shown. */
  readonly unavailableAfter?: Instant;
}

export interface RobotsMeta {
  /** Name of the meta element. */
  readonly agent: string;
  readonly directives: string;
}

const EFFECTS: ReadonlyMap<string, Partial<RobotsDirectives>> = new Map([
  ['noindex', { index: false }],
  ['nofollow', { follow: false }],
  ['none', { index: false, follow: false }],
  ['noarchive', { archive: false }],
]);

/** Directives with a value: any other word before a colon is an agent's name. */
const DIRECTIVES_WITH_VALUE: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);
const MAX_WORDS = 1000;

/** Directives that are kept as metas of the document, so that programs that display it can obey them. */
const TERM_PATTERN =
  /\b(nosnippet|noimageindex|max-snippet|max-image-preview|max-video-preview)\b(?:[ \t]{0,5}:[ \t]{0,5}([\w-]{1,20}))?/g;
/** A date may contain commas, so it extends over all characters that a date may contain. */
const UNAVAILABLE_AFTER = /\bunavailable_after[ \t]{0,5}:[ \t]{0,5}([\w ,:+.-]{4,64})/;

/**
 * @param headerLines one per X-Robots-Tag field received
 * @param agent this crawler's product token
 */
export function parseRobotsDirectives(
  metas: readonly RobotsMeta[],
  headerLines: readonly string[],
  agent: string,
): RobotsDirectives {
  let result: RobotsDirectives = { index: true, follow: true, archive: true, terms: [] };
  const ownName = agent.toLowerCase();
  const isAddressed = (name: string): boolean => name === ownName || name === 'robots' || name === '*';
  for (const meta of metas)
    if (isAddressed(meta.agent.trim().toLowerCase())) result = applyDirectives(result, meta.directives);
  for (const line of headerLines) result = applyDirectives(result, findRelevantPart(line, isAddressed));
  return result;
}

function applyDirectives(previous: RobotsDirectives, directives: string): RobotsDirectives {
  let result = previous;
  for (const word of splitWords(directives)) result = { ...result, ...EFFECTS.get(word) };
  return addTerms(result, directives);
}

const ANY_TERM = /snippet|noimageindex|-preview|unavailable_after/i;
const MAX_TERMS = 20;

function addTerms(result: RobotsDirectives, directives: string): RobotsDirectives {
  const text = directives.slice(0, 4_000);
  if (!ANY_TERM.test(text)) return result;
  const terms = [...result.terms];
  for (const [, name, value] of text.toLowerCase().matchAll(TERM_PATTERN)) {
    const term = { name: toMetaName(name!), value: value ?? 'true' };
    if (terms.length < MAX_TERMS && !terms.some((existing) => existing.name === term.name)) terms.push(term);
  }
  const { date, endTime } = parseEndTime(text) ?? {};
  if (date === undefined || endTime === undefined) return { ...result, terms };
  const unavailableAfter = result.unavailableAfter === undefined ? endTime : earlier(result.unavailableAfter, endTime);
  return { ...result, terms: [...terms, { name: 'unavailable_after', value: date }], unavailableAfter };
}

/** A date may contain commas, and other directives may follow it after one, or words that belong to no date. */
function parseEndTime(text: string): { readonly date: string; readonly endTime: Instant } | undefined {
  const parts = UNAVAILABLE_AFTER.exec(text.replace(/unavailable_after/i, 'unavailable_after'))?.[1]?.split(',') ?? [];
  const dates = parts.map((_, last) =>
    parts
      .slice(0, last + 1)
      .join(',')
      .trim(),
  );
  const find = (candidates: readonly string[], parse: (date: string) => Instant | undefined) => {
    const date = candidates.find((candidate) => parse(candidate) !== undefined);
    return date === undefined ? undefined : { date, endTime: parse(date)! };
  };
  return find(dates.toReversed(), parseWrittenDate) ?? find(dates, (date) => parseHttpDate(date) ?? parseIsoDate(date));
}

/** Parses `2026-06-25`, `2026-06-25T15:00:00Z` and the like, ignoring whatever follows. */
function parseIsoDate(date: string): Instant | undefined {
  const isoDate = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/i.exec(
    date,
  )?.[0];
  return isoDate === undefined ? undefined : parseClaimedChange(isoDate, NEVER)?.from;
}

const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/, MAX_WORDS)
    .filter((word) => word !== '');

/**
 * Finds the part of a line that applies to this crawler, as written. `name:` begins the directives for one agent, up to
 * the next name.
 */
function findRelevantPart(line: string, isAddressed: (name: string) => boolean): string {
  if (!line.includes(':')) return line;
  let applies = true;
  const parts = line.split(',', MAX_WORDS).flatMap((part) => {
    const colonIndex = part.indexOf(':');
    const name = part.slice(0, Math.max(colonIndex, 0)).trim().toLowerCase();
    const namesAgent = name !== '' && !/\s/.test(name) && !DIRECTIVES_WITH_VALUE.has(name);
    if (namesAgent) applies = isAddressed(name);
    if (!applies) return [];
    return [namesAgent ? part.slice(colonIndex + 1) : part];
  });
  return parts.join(',');
}
