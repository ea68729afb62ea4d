/** Normalizes the values of typed fields: dates to ISO 8601 in UTC, numbers as in JSON, booleans to true and false. */
import { type CivilTime, civilToInstant, formatIsoTime, parseHttpDate } from '../time/http-date.js';
import { before, minutes } from '../time/units.js';
import type { FieldType } from './content-definition.js';

/** Longer values are not parsed as a date, number or boolean. */
const MAX_LENGTH = 100;

/** Returns undefined if the text is not of this type. Relative URLs (type `url`) are resolved against `base`. */
export function parseTypedValue(text: string, type: FieldType, base: string): string | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (type === 'text') return value;
  if (type === 'url') return URL.parse(value, base)?.href;
  if (value.length > MAX_LENGTH) return undefined;
  if (type === 'boolean') return normalizeBoolean(value.toLowerCase());
  return type === 'date' ? normalizeDate(value) : normalizeNumber(value);
}

const TRUE_WORDS = new Set(['true', 'yes', '1', 'on']);
const FALSE_WORDS = new Set(['false', 'no', '0', 'off']);

const normalizeBoolean = (value: string): string | undefined =>
  TRUE_WORDS.has(value) ? 'true' : FALSE_WORDS.has(value) ? 'false' : undefined;

/**
 * Returns the first number in the text. The last comma or point is taken as the decimal separator, unless it separates
 * groups of digits.
 */
export function normalizeNumber(value: string): string | undefined {
  const numberText = /[+-]?\d[\d.,'\u00a0\u202f ]*/.exec(value)?.[0].replace(/[^\d+.,-]/g, '');
  if (numberText === undefined) return undefined;
  let end = numberText.length;
  while (end > 0 && '.,'.includes(numberText[end - 1]!)) end--;
  const number = Number(toPlainNumber(numberText.slice(0, end)));
  return Number.isFinite(number) ? String(number) : undefined;
}

function toPlainNumber(text: string): string {
  const separatorIndex = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (separatorIndex < 0) return text;
  const separators = text.replace(/[^.,]/g, '');
  const trailingDigitCount = text.length - separatorIndex - 1;
  const hasBothSeparators = separators.includes('.') && separators.includes(',');
  // 1,234 and 1.234.567 are whole numbers; 1,5 and 1.234 are fractions.
  const isGrouped = !hasBothSeparators && (separators.length > 1 || (separators === ',' && trailingDigitCount === 3));
  if (isGrouped) return text.replace(/[.,]/g, '');
  return `${text.slice(0, separatorIndex).replace(/[.,]/g, '')}.${text.slice(separatorIndex + 1)}`;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

const ISO_DATE =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2}|UTC|GMT)?)?$/i;
const NUMERIC_DATES: readonly (readonly [RegExp, readonly [year: number, month: number, day: number]])[] = [
  [/^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/, [1, 2, 3]],
  [/^(\d{4})(\d{2})(\d{2})$/, [1, 2, 3]],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, [3, 2, 1]],
];
const DAY_FIRST_DATE = /^(?:\p{L}{2,12}\.?,? )?(\d{1,2})(?:st|nd|rd|th|\.)? (\p{L}{3,9})\.?,? (\d{4})$/u;
const MONTH_FIRST_DATE = /^(?:\p{L}{2,12}\.?,? )?(\p{L}{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u;

/**
 * Accepts ISO 8601 in full or in part, HTTP and mail dates, and dates with an English month name. A date without a time
 * means midnight UTC.
 */
export function normalizeDate(value: string): string | undefined {
  const text = value.trim();
  if (text.length > MAX_LENGTH) return undefined;
  const isoMatch = ISO_DATE.exec(text);
  if (isoMatch) return convertIsoMatch(isoMatch);
  for (const [pattern, [year, month, day]] of NUMERIC_DATES) {
    const match = pattern.exec(text);
    if (match) return toIsoTime({ year: Number(match[year]), month: Number(match[month]), day: Number(match[day]) });
  }
  const dayFirstMatch = DAY_FIRST_DATE.exec(text);
  if (dayFirstMatch) return convertNamedMonthDate(dayFirstMatch[3]!, dayFirstMatch[2]!, dayFirstMatch[1]!);
  const monthFirstMatch = MONTH_FIRST_DATE.exec(text);
  if (monthFirstMatch) return convertNamedMonthDate(monthFirstMatch[3]!, monthFirstMatch[1]!, monthFirstMatch[2]!);
  const httpDate = parseHttpDate(text);
  return httpDate === undefined ? undefined : formatIsoTime(httpDate);
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
function toIsoTime(civilTime: CivilTime, offset = 0): string | undefined {
  const moment = civilToInstant(civilTime);
  return moment === undefined ? undefined : formatIsoTime(before(moment, minutes(offset)));
}

const convertNamedMonthDate = (year: string, month: string, day: string): string | undefined =>
  toIsoTime({ year: Number(year), month: toMonthNumber(month), day: Number(day) });

function toMonthNumber(name: string): number {
  const lower = name.toLowerCase();
  return MONTHS.findIndex((month) => month === lower || (lower.length < 5 && month.startsWith(lower.slice(0, 3)))) + 1;
}
