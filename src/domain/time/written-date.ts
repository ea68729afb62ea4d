/** Dates and times as pages, mails, feeds and documents contain them. */
import { type CivilTime, civilToInstant, computeOffset } from './http-date.js';
import { before, type Instant, instant } from './units.js';

/** Longer texts are not read as dates. */
const MAX_LENGTH = 100;

/** A time at the end of a text, with the zone and what programs add to it: `(CEST)`, `[Europe/Berlin]`. */
const TIME =
  /(?:T|,? (?:at )?)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,20})?)?(?: ?([ap])\.?m\.?)?(?: ?Uhr)?(?: ?([a-z]{1,4}))?(?: ?([+\u2212-])(\d{1,2}):?(\d{2})?)?(?: ?[([].{1,60}[)\]]| [a-z]{1,20}\/[a-z_]{1,20})?$/i;

/** `20260304T050607Z`. */
const COMPACT_TIME = /^(\d{8}T\d{2})(\d{2})(\d{2})/i;
/** `Wed Mar 4 05:06:07 2026`, and `Wed Mar 4 05:06:07 CET 2026` of Unix and Java. */
const ASCTIME =
  /^((?:[a-z]{3} )?[a-z]{3} \d{1,2}) (\d{2}:\d{2}:\d{2}(?: [a-z]{1,4})?(?: ?[+-]\d{2}:?\d{2})?) (\d{4})$/i;

const DATES: readonly (readonly [RegExp, order: 'ymd' | 'dmy' | 'mdy' | 'my'])[] = [
  [/^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?$/, 'ymd'],
  [/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, 'ymd'],
  [/^(\d{4})(\d{2})(\d{2})$/, 'ymd'],
  [/^(\d{4})[ -](\p{L}{3,9})[ -](\d{1,2})$/u, 'ymd'],
  [/^(\p{L}{3,9})\.? (\d{4})$/u, 'my'],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, 'dmy'],
  [/^(?:\p{L}{2,12}(?: |\.? ?, ?|\. ))?(\d{1,2})(?:st|nd|rd|th|\.)?[ /-](\p{L}{3,9})\.?,?[ /-](\d{4}|\d{2})$/u, 'dmy'],
  [/^(?:\p{L}{2,12}\.?,? )?(\p{L}{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u, 'mdy'],
];

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/**
 * Parses ISO 8601 in full or in part, the dates of mail (RFC 5322), HTTP (RFC 9110), Unix and Java, dates with an English
 * month name, `2024/05/03` and `03.05.2024`, all with or without a time, and seconds or milliseconds since 1970. A date
 * without a day means the first one, one without a time midnight, a time without a zone UTC. Returns undefined for anything
 * else, such as `05/03/2024`, which can be read in two ways.
 */
export function parseWrittenDate(text: string): Instant | undefined {
  const trimmed = text.trim().replace(/[,;]$/, '');
  if (trimmed.length > MAX_LENGTH) return undefined;
  if (/^\d{10}(?:\d{3})?$/.test(trimmed)) return instant(Number(trimmed.padEnd(13, '0')));
  const value = trimmed.replace(/\s+/g, ' ').replace(COMPACT_TIME, '$1:$2:$3').replace(ASCTIME, '$1 $3 $2');
  const time = TIME.exec(value);
  const date = time ? value.slice(0, time.index) : value;
  for (const [pattern, order] of DATES) {
    const match = pattern.exec(date);
    if (match) return toInstant(match, order, time);
  }
  return undefined;
}

/** Like `parseWrittenDate`, where the text is a date of which only the year may be known. */
export const parseDateOrYear = (text: string): Instant | undefined =>
  parseWrittenDate(/^\s*\d{4}\s*$/.test(text) ? `${text.trim()}-01` : text);

function toInstant(date: RegExpExecArray, order: string, time: RegExpExecArray | null): Instant | undefined {
  const get = (part: string): string => (order.includes(part) && date[order.indexOf(part) + 1]) || '1';
  const civilTime: CivilTime = { year: toFullYear(get('y')), month: toMonthNumber(get('m')), day: Number(get('d')) };
  if (!time) return civilToInstant(civilTime);
  const [, hour, minute, second = 0, half, name, sign, hours, minutes] = time;
  const twelfth = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const moment = civilToInstant({ ...civilTime, hour: twelfth, minute: Number(minute), second: Number(second) });
  return moment === undefined ? undefined : before(moment, computeOffset({ name, sign, hours, minutes }));
}

/** Two-digit years of RFC 850 dates: 70 and later belong to the 20th century. */
const toFullYear = (year: string): number => Number(year) + (year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900);

/** 0 if it is none. */
function toMonthNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const lower = text.toLowerCase();
  return MONTHS.findIndex((month) => month === lower || (lower.length < 5 && month.startsWith(lower.slice(0, 3)))) + 1;
}
