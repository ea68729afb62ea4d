/**
 * What a page tells robots about itself, in `<meta name=robots>` (or a meta named like the agent) and in X-Robots-Tag
 * lines. All of them are combined: what any one forbids is forbidden.
 */
import { parseClaimedChange } from '../refresh/claimed-changes.js';
import { toMetaName } from '../signals/meta-names.js';
import type { Preference } from '../signals/usage-preferences.js';
import { parseHttpDate } from '../time/http-date.js';
import { earlier, type Instant, NEVER } from '../time/units.js';

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
  /** After this time the page may not be shown. */
  readonly unavailableAfter?: Instant;
}

export interface RobotsMeta {
  /** Name of the meta element. */
  readonly agent: string;
  readonly directives: string;
}

const FORBIDS: ReadonlyMap<string, Partial<RobotsDirectives>> = new Map([
  ['noindex', { index: false }],
  ['nofollow', { follow: false }],
  ['none', { index: false, follow: false }],
  ['noarchive', { archive: false }],
]);

/** Directives with a value: any other word before a colon is an agent's name. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);
const MOST_WORDS = 1000;

/** Directives that are kept as metas of the document, for whatever displays it to obey. */
const TERM =
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
  let sum: RobotsDirectives = { index: true, follow: true, archive: true, terms: [] };
  const own = agent.toLowerCase();
  const isAddressed = (name: string): boolean => name === own || name === 'robots' || name === '*';
  for (const meta of metas) {
    if (!isAddressed(meta.agent.trim().toLowerCase())) continue;
    for (const word of splitWords(meta.directives)) sum = { ...sum, ...FORBIDS.get(word) };
    sum = addTerms(sum, meta.directives);
  }
  for (const line of headerLines) {
    for (const word of readHeaderWords(line, isAddressed)) sum = { ...sum, ...FORBIDS.get(word) };
    sum = addTerms(sum, findRelevantPart(line, isAddressed));
  }
  return sum;
}

const HAS_TERMS = /snippet|noimageindex|-preview|unavailable_after/i;
const MOST_TERMS = 20;

function addTerms(sum: RobotsDirectives, written: string): RobotsDirectives {
  const text = written.slice(0, 4_000);
  if (!HAS_TERMS.test(text)) return sum;
  const terms = [...sum.terms];
  for (const [, name, value] of text.toLowerCase().matchAll(TERM)) {
    const term = { name: toMetaName(name!), value: value ?? 'true' };
    if (terms.length < MOST_TERMS && !terms.some((known) => known.name === term.name)) terms.push(term);
  }
  const date = UNAVAILABLE_AFTER.exec(text.replace(/unavailable_after/i, 'unavailable_after'))?.[1]?.trim();
  const end = date === undefined ? undefined : (parseHttpDate(date) ?? parseIsoDate(date));
  if (date === undefined || end === undefined) return { ...sum, terms };
  const unavailableAfter = sum.unavailableAfter === undefined ? end : earlier(sum.unavailableAfter, end);
  return { ...sum, terms: [...terms, { name: 'unavailable_after', value: date }], unavailableAfter };
}

/** Parses `2026-06-25`, `2026-06-25T15:00:00Z` and the like, ignoring whatever follows. */
function parseIsoDate(date: string): Instant | undefined {
  const written = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/i.exec(
    date,
  )?.[0];
  return written === undefined ? undefined : parseClaimedChange(written, NEVER)?.from;
}

const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/, MOST_WORDS)
    .filter((word) => word !== '');

/** The part of a line that applies to us, as written. */
function findRelevantPart(line: string, speaksTo: (name: string) => boolean): string {
  if (!HAS_TERMS.test(line)) return '';
  let listening = true;
  const parts = line.split(',', MOST_WORDS).flatMap((part) => {
    const name = part
      .slice(0, Math.max(part.indexOf(':'), 0))
      .trim()
      .toLowerCase();
    const namesAgent = name !== '' && !/\s/.test(name) && !WITH_VALUE.has(name);
    if (namesAgent) listening = speaksTo(name);
    if (!listening) return [];
    return [namesAgent ? part.slice(part.indexOf(':') + 1) : part];
  });
  return parts.join(',');
}

/** The directives in one line that apply to us. `name:` begins those for one agent, up to the next name. */
function readHeaderWords(line: string, speaksTo: (name: string) => boolean): string[] {
  const concerned: string[] = [];
  let listening = true;
  for (const part of line.toLowerCase().split(',', MOST_WORDS)) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(colon, 0)).trim();
    if (WITH_VALUE.has(name)) continue;
    if (name !== '' && !/\s/.test(name)) listening = speaksTo(name);
    if (listening) concerned.push(...splitWords(part.slice(colon + 1)));
  }
  return concerned;
}
