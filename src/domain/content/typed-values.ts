/** Values of typed fields: dates as ISO 8601 in UTC, numbers as in JSON, booleans as true and false. */
import { type CivilTime, civilToInstant, formatIsoTime, parseHttpDate } from '../time/http-date.js';
import { before, minutes } from '../time/units.js';
import type { FieldType } from './content-definition.js';

/** Maximum number of characters; longer values are not parsed as a date, number or boolean. */
const LONGEST = 100;

/** Undefined if the text is not of this type. Relative URLs (type `url`) are resolved against `base`. */
export function parseTypedValue(text: string, type: FieldType, base: string): string | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (type === 'text') return value;
  if (type === 'url') return URL.parse(value, base)?.href;
  if (value.length > LONGEST) return undefined;
  if (type === 'boolean') return normalizeBoolean(value.toLowerCase());
  return type === 'date' ? normalizeDate(value) : normalizeNumber(value);
}

const TRUE = new Set(['true', 'yes', '1', 'on']);
const FALSE = new Set(['false', 'no', '0', 'off']);

const normalizeBoolean = (value: string): string | undefined =>
  TRUE.has(value) ? 'true' : FALSE.has(value) ? 'false' : undefined;

/**
 * The first number in the text; the last comma or point separates the fraction, unless it separates groups of digits.
 */
export function normalizeNumber(value: string): string | undefined {
  const found = /[+-]?\d[\d.,'\u00a0\u202f ]*/.exec(value)?.[0].replace(/[^\d+.,-]/g, '');
  if (found === undefined) return undefined;
  let end = found.length;
  while (end > 0 && '.,'.includes(found[end - 1]!)) end--;
  const number = Number(toPlainNumber(found.slice(0, end)));
  return Number.isFinite(number) ? String(number) : undefined;
}

function toPlainNumber(text: string): string {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (last < 0) return text;
  const separators = text.replace(/[^.,]/g, '');
  const digitsBehind = text.length - last - 1;
  const mixed = separators.includes('.') && separators.includes(',');
  // 1,234 and 1.234.567 are whole numbers; 1,5 and 1.234 are fractions.
  const groups = !mixed && (separators.length > 1 || (separators === ',' && digitsBehind === 3));
  if (groups) return text.replace(/[.,]/g, '');
  return `${text.slice(0, last).replace(/[.,]/g, '')}.${text.slice(last + 1)}`;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

const ISO =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2}|UTC|GMT)?)?$/i;
const NUMBERS: readonly (readonly [RegExp, readonly [year: number, month: number, day: number]])[] = [
  [/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, [1, 2, 3]],
  [/^(\d{4})(\d{2})(\d{2})$/, [1, 2, 3]],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, [3, 2, 1]],
];
const DAY_FIRST = /^(?:\p{L}{2,12}\.?,? )?(\d{1,2})(?:st|nd|rd|th|\.)? (\p{L}{3,9})\.?,? (\d{4})$/u;
const MONTH_FIRST = /^(?:\p{L}{2,12}\.?,? )?(\p{L}{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u;

/**
 * Accepts ISO 8601 in full or in part, HTTP and mail dates, and dates with an English month name. A date without a time
 * means midnight UTC.
 */
export function normalizeDate(value: string): string | undefined {
  const text = value.trim();
  if (text.length > LONGEST) return undefined;
  const iso = ISO.exec(text);
  if (iso) return convertIsoMatch(iso);
  for (const [form, [year, month, day]] of NUMBERS) {
    const found = form.exec(text);
    if (found) return toIsoTime({ year: Number(found[year]), month: Number(found[month]), day: Number(found[day]) });
  }
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) return convertNamedMonthDate(dayFirst[3]!, dayFirst[2]!, dayFirst[1]!);
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst) return convertNamedMonthDate(monthFirst[3]!, monthFirst[1]!, monthFirst[2]!);
  const http = parseHttpDate(text);
  return http === undefined ? undefined : formatIsoTime(http);
}

function convertIsoMatch([
  ,
  year,
  month,
  day = '1',
  hour = '0',
  minute = '0',
  second = '0',
  zone = 'Z',
]: RegExpExecArray) {
  const sign = /^[+-]/.test(zone) ? (zone.startsWith('-') ? -1 : 1) : 0;
  const digits = zone.replace(/\D/g, '');
  const offset = sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4)));
  const [h, m, s] = [hour, minute, second].map(Number);
  return toIsoTime(
    { year: Number(year), month: Number(month), day: Number(day), hour: h, minute: m, second: s },
    offset,
  );
}

/** @param offset minutes by which the time is ahead of UTC */
function toIsoTime(time: CivilTime, offset = 0): string | undefined {
  const moment = civilToInstant(time);
  return moment === undefined ? undefined : formatIsoTime(before(moment, minutes(offset)));
}

const convertNamedMonthDate = (year: string, month: string, day: string): string | undefined =>
  toIsoTime({ year: Number(year), month: toMonthNumber(month), day: Number(day) });

function toMonthNumber(name: string): number {
  const lower = name.toLowerCase();
  return MONTHS.findIndex((month) => month === lower || (lower.length < 5 && month.startsWith(lower.slice(0, 3)))) + 1;
}
