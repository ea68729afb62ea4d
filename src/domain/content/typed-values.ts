/** Normalizes the values of typed fields: dates to ISO 8601 in UTC, numbers as in JSON, booleans to true and false. */
import { formatIsoTime } from '../time/http-date.js';
import { parseWrittenDate } from '../time/written-date.js';
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

/** Returns the time in ISO 8601, UTC; undefined if the text is no date (`parseWrittenDate`). */
export function normalizeDate(text: string): string | undefined {
  const moment = parseWrittenDate(text);
  return moment === undefined ? undefined : formatIsoTime(moment);
}
